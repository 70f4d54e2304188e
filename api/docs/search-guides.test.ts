import { describe, it } from "bun:test";
import { expect } from "chai";
import { loadGuides } from "./load-guides.ts";
import { searchGuides } from "./search-guides.ts";

const guides = loadGuides();
const sections = guides.flatMap((guide) => guide.sections);
const pagesFor = (query: string) => searchGuides(sections, query).map(({ section }) => section.page);

describe("the guide search", () => {
  it("ranks a guide first when searching for its title", () => {
    for (const { slug, title } of guides) expect(pagesFor(title)[0], title).to.equal(slug);
  });

  it("finds sections that contain every word, by prefix and ignoring case", () => {
    expect(pagesFor("IDEMPOT key")).to.include("idempotency");
    expect(pagesFor("fail_once_")).to.include("testing");
    expect(pagesFor("idempotency zebra")).to.deep.equal([]);
  });

  it("accepts any text", () => {
    for (const query of ["", "  ", "((", "<script>", "\\", "a".repeat(10_000)]) {
      expect(() => searchGuides(sections, query), query).not.to.throw();
    }
  });

  it("shows the matching excerpt", () => {
    const [hit] = searchGuides(sections, "Retry-After");
    expect(hit?.excerpt).to.include("Retry-After");
  });
});

describe("a guide", () => {
  it("shows its snippets as they are run, and its pictures inline", () => {
    const all = guides.map(({ html }) => html).join("\n");
    expect(all).to.include("gateway.paymentIntents.create(").and.include('role="img"');
    expect(all).not.to.match(/\((?:snippets|pictures)\//);
  });

  it("links only to existing pages", () => {
    const slugs = guides.map(({ slug }) => slug);
    for (const { html, title } of guides) {
      for (const [, slug = ""] of html.matchAll(/href="\/docs\/([\w-]+)(?:#[\w-]+)?"/g)) {
        expect([...slugs, "reference", "json"], title).to.include(slug);
      }
    }
  });
});
