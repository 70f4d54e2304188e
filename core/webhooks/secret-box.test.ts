import { describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { openSecret, sealSecret } from "./secret-box.ts";

const [first, second] = [randomBytes(32), randomBytes(32)];

describe("a sealed secret", () => {
  it("opens only with its key and for its owner", () => {
    const sealed = sealSecret([first], "we_1", "whsec_abc");
    expect(sealed.toString("latin1")).not.to.contain("whsec");
    expect(openSecret([first], "we_1", sealed)).to.equal("whsec_abc");
    expect(() => openSecret([first], "we_2", sealed)).to.throw("None of the keys");
    expect(() => openSecret([second], "we_1", sealed)).to.throw("None of the keys");
  });

  it("opens with an older key after a new one was added before it", () => {
    const sealed = sealSecret([first], "we_1", "whsec_abc");
    expect(openSecret([second, first], "we_1", sealed)).to.equal("whsec_abc");
  });

  it("does not open if a byte was changed", () => {
    const sealed = sealSecret([first], "we_1", "whsec_abc");
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    expect(() => openSecret([first], "we_1", sealed)).to.throw("None of the keys");
  });
});
