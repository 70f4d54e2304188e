// A merchant's tasks in a browser: each begins signed in, at a page of the dashboard, and is counted in clicks and seconds.
import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";
import { connect } from "#core/db/client.ts";
import { createUser } from "#core/users/users.ts";
import { originOf } from "../../api/support/routes.ts";
import type { SharedStack } from "../../support/shared-stack.ts";
import { type Visitor, visit } from "./visitor.ts";

export type Merchant = Visitor & {
  click(name: string): Promise<void>;
  /** Goes to a button by the Tab key and presses Enter there. */
  press(name: string): Promise<void>;
  /** Presses a button of the open dialog. */
  confirm(name: string | RegExp): Promise<void>;
  /** Waits for a tag of the page that shows this status. */
  tagged(status: string): Promise<void>;
  /** Somebody else, in a browser of their own. */
  colleague(address: string): Promise<Visitor>;
};

/** What the Tab key stops at on a page, at most. */
const MOST_STEPS = 60;
const PASSWORD = "a password that is long";

export function createTasks(browser: Browser, stack: SharedStack) {
  const table: { task: string; clicks: number; seconds: string }[] = [];
  const origin = originOf(stack);

  const open = async (path: string, prepare?: (visitor: Visitor) => Promise<void>) => {
    const visitor = await visit(browser, origin);
    visitor.page.setDefaultTimeout(15_000);
    await prepare?.(visitor);
    await visitor.page.goto(path.startsWith("http") ? path : `${origin}/dashboard${path}`);
    return visitor;
  };

  const signIn = async ({ page }: Visitor, { email, password }: { email: string; password: string }) => {
    await page.locator("#email").fill(email);
    await page.locator("#password").fill(password);
    await page.locator("button[type=submit]").click();
    await page.getByRole("navigation", { name: "Sections" }).waitFor();
  };

  let clicks = 0;
  let signedIn: Merchant | undefined;

  const asMerchant = (visitor: Visitor): Merchant => {
    const { page } = visitor;
    return {
      ...visitor,
      click: (label) => page.getByRole("button", { name: label, exact: true }).first().click(),
      press: async (label) => {
        const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
        for (let steps = 0; (await focused()) !== label; steps++) {
          if (steps > MOST_STEPS) throw new Error(`Tab does not reach "${label}".`);
          await page.keyboard.press("Tab");
        }
        await page.keyboard.press("Enter");
      },
      confirm: (label) => page.getByRole("dialog").getByRole("button", { name: label }).click(),
      tagged: (status) => page.locator(".tag").getByText(status, { exact: true }).first().waitFor(),
      colleague: (address) => open(address),
    };
  };

  return {
    /** Signs the first merchant in, once for every task. */
    async signIn() {
      const visitor = await open("", async ({ context }) => {
        await context.exposeBinding("clicked", () => void clicks++);
        await context.addInitScript(() =>
          document.addEventListener(
            "click",
            () => (window as unknown as { clicked(): void }).clicked(),
            true,
          ),
        );
      });
      await signIn(visitor, stack.dashboard);
      signedIn = asMerchant(visitor);
    },

    /** @param prepare names the dashboard's page where the task begins; counted from the moment when the page can be used */
    async run(name: string, prepare: () => Promise<string>, work: (merchant: Merchant) => Promise<void>) {
      if (!signedIn) throw new Error("Nobody is signed in.");
      const { page } = signedIn;
      await page.goto(`${origin}/dashboard${await prepare()}`);
      await page.getByRole("heading", { level: 1 }).filter({ visible: true }).first().waitFor();
      clicks = 0;
      const startedAt = performance.now();
      await work(signedIn);
      table.push({ task: name, clicks, seconds: ((performance.now() - startedAt) / 1_000).toFixed(1) });
    },

    /** Somebody new in the first merchant's team, signed in. */
    async newUser() {
      const login = { email: `${randomUUID()}@example.com`, password: PASSWORD };
      const database = connect(stack.databaseUrl, { max: 1, application: "test" });
      await createUser(database, { ...login, name: "New", merchantId: stack.merchants[0]?.merchantId ?? "" });
      await database.$client.end();
      const visitor = await open("");
      await signIn(visitor, login);
      return { ...visitor, ...login };
    },

    print: () => console.table(table),
  };
}

export type Tasks = ReturnType<typeof createTasks>;
