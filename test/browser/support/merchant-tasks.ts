// A merchant's tasks in a browser. Each task starts on a dashboard page, signed in, and its clicks and seconds are
// counted. A click is a press of a button, link or checkbox, or choosing a list option or a file. Typing into a field
// needs no click.
import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { connect } from "#core/db/client.ts";
import type { Role } from "#core/db/schema/users.ts";
import { createUser } from "#core/users/users.ts";
import { originOf } from "../../api/support/routes.ts";
import type { SharedStack } from "../../support/shared-stack.ts";
import { type Visitor, visit } from "./visitor.ts";

export type Merchant = Visitor & {
  click(name: string): Promise<void>;
  /** Moves to a button with the Tab key and presses Enter. */
  press(name: string): Promise<void>;
  /** Presses a button of the open dialog. */
  confirm(name: string | RegExp): Promise<void>;
  /** Waits until a tag on the page shows this status. */
  tagged(status: string): Promise<void>;
  /** Another user in a separate browser; their clicks count too. */
  colleague(address: string): Promise<Visitor>;
  /** Calls a gateway operation as the page does. @param path such as /v1/payment-intents. @returns the status */
  request(method: string, path: string, body?: object): Promise<number>;
};

/** Prepares a task as the merchant. @returns the dashboard page where the task starts */
export type Prepare = (merchant: Merchant) => Promise<string>;

/** Maximum number of Tab stops on a page. */
const MOST_STEPS = 60;
const PASSWORD = "a password that is long";

/** Sends a request as the open page does, with its cookie and from its origin. @returns the status */
export const requestFrom = (page: Page, method: string, path: string, body?: object): Promise<number> =>
  page.evaluate(
    async ([method, path, body]) => {
      const headers = { "X-Dashboard-Mode": "test", "Content-Type": "application/json" };
      return (await fetch(path, { method, headers, ...(body ? { body } : {}) })).status;
    },
    [method, path, body && JSON.stringify(body)] as const,
  );

export function createTasks(browser: Browser, stack: SharedStack) {
  const table: { task: string; clicks: number; seconds: string }[] = [];
  const origin = originOf(stack);

  let clicks = 0;
  let inspectedMs = 0;

  /** Runs a step that is not part of the task, such as an accessibility check or a screenshot. */
  const outsideTheTask = async <T>(work: Promise<T>): Promise<T> => {
    const beganAt = performance.now();
    const result = await work;
    inspectedMs += performance.now() - beganAt;
    return result;
  };

  const open = async (path: string): Promise<Visitor> => {
    const visitor = await visit(browser, origin);
    const { context, expectSound, screenshot } = visitor;
    visitor.page.setDefaultTimeout(15_000);
    await context.exposeBinding("clicked", () => void clicks++);
    await context.addInitScript(() => {
      const count = () => (window as unknown as { clicked(): void }).clicked();
      document.addEventListener("click", count, true);
      document.addEventListener(
        "change",
        ({ target }) => {
          const isFile = target instanceof HTMLInputElement && target.type === "file";
          if (isFile || target instanceof HTMLSelectElement) count();
        },
        true,
      );
    });
    await visitor.page.goto(path.startsWith("http") ? path : `${origin}/dashboard${path}`);
    return {
      ...visitor,
      expectSound: () => outsideTheTask(expectSound()),
      screenshot: (name) => outsideTheTask(screenshot(name)),
    };
  };

  const signIn = async ({ page }: Visitor, { email, password }: { email: string; password: string }) => {
    await page.locator("#email").fill(email);
    await page.locator("#password").fill(password);
    await page.locator("button[type=submit]").click();
    await page.getByRole("navigation", { name: "Sections" }).waitFor();
  };

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
      request: (...asked) => requestFrom(page, ...asked),
    };
  };

  return {
    /** Signs in as the first merchant, once for all tasks. */
    async signIn() {
      const visitor = await open("");
      await signIn(visitor, stack.dashboard);
      signedIn = asMerchant(visitor);
    },

    /** Runs a task. Counting starts when the start page is usable. */
    async run(name: string, prepare: Prepare, work: (merchant: Merchant) => Promise<void>) {
      if (!signedIn) throw new Error("Nobody is signed in.");
      const { page } = signedIn;
      await page.goto(`${origin}/dashboard${await prepare(signedIn)}`);
      await page.getByRole("heading", { level: 1 }).filter({ visible: true }).first().waitFor();
      clicks = 0;
      inspectedMs = 0;
      const startedAt = performance.now();
      await work(signedIn);
      const tookMs = performance.now() - startedAt - inspectedMs;
      table.push({ task: name, clicks, seconds: (tookMs / 1_000).toFixed(1) });
    },

    /** Adds a member to the first merchant's team and signs in as them. */
    async newUser(role?: Role) {
      const login = { email: `${randomUUID()}@example.com`, password: PASSWORD };
      const database = connect(stack.databaseUrl, { max: 1, application: "test" });
      const merchantId = stack.merchants[0]?.merchantId ?? "";
      await createUser(database, { ...login, name: "New", merchantId, ...(role && { role }) });
      await database.$client.end();
      const visitor = await open("");
      await signIn(visitor, login);
      return { ...visitor, ...login };
    },

    print: () => console.table(table),
  };
}

export type Tasks = ReturnType<typeof createTasks>;
