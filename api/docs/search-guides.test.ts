import { describe, it } from "bun:test";
import { expect } from "chai";
import { loadGuides } from "./load-guides.ts";
import { searchGuides } from "./search-guides.ts";

const guides = loadGuides();
const sections = guides.flatMap((guide) => guide.sections);
const pagesFor = (query: string) => searchGuides(sections, query).map(({ section }) => section.page);

describe("the search of the guides", () => {
  it("finds every guide by its title, first of all", () => {
    for (const { slug, title } of guides) expect(pagesFor(title)[0], title).to.equal(slug);
  });

  it("finds sections that have every word, by the beginnings of words, in upper and lower case", () => {
    expect(pagesFor("IDEMPOT key")).to.include("idempotency");
    expect(pagesFor("fail_once_")).to.include("testing");
    expect(pagesFor("idempotency zebra")).to.deep.equal([]);
  });

  it("accepts any text", () => {
    for (const query of ["", "  ", "((", "<script>", "\\", "a".repeat(10_000)]) {
      expect(() => searchGuides(sections, query), query).not.to.throw();
    }
  });

  it("shows where the words are", () => {
    const [hit] = searchGuides(sections, "Retry-After");
    expect(hit?.excerpt).to.include("Retry-After");
  });
});

describe("a guide", () => {
  it("shows its snippets as they are run, and its pictures inside the page", () => {
    const all = guides.map(({ html }) => html).join("\n");
    expect(all).to.include("gateway.paymentIntents.create(").and.include('role="img"');
    expect(all).not.to.match(/\((?:snippets|pictures)\//);
  });

  it("links to pages that there are", () => {
    const slugs = guides.map(({ slug }) => slug);
    for (const { html, title } of guides) {
      for (const [, slug = ""] of html.matchAll(/href="\/docs\/([\w-]+)(?:#[\w-]+)?"/g)) {
        expect([...slugs, "reference", "json"], title).to.include(slug);
      }
    }
  });
});
