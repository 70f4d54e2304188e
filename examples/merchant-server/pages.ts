// The shop's two pages.

export type ShownOrder = { id: string; paymentUrl: string; status: "ordered" | "shipped" };

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`;

/** @param id the id of the order that the button creates, so that pressing it twice creates only one order */
export const shopPage = (id: string): string =>
  page(
    "A pound of coffee, 49.90 USDC",
    `<form method="post" action="/orders"><input type="hidden" name="id" value="${id}"><button>Order and pay</button></form>`,
  );

export const orderPage = ({ id, status, paymentUrl }: ShownOrder): string =>
  page(`Order ${id}`, `<p>Status: ${status}</p><p><a href="${paymentUrl}">Pay</a></p>`);
