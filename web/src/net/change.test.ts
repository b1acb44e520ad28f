import { expect, test } from "vitest";
import { changed } from "./change";

test("only what a change names is new, and what was before stays", () => {
  const before = { version: 1, seats: [{ name: "Anna" }, { name: "Ben" }], view: null as { total: number } | null };
  const after = changed(before, { version: [2], seats: { 1: { name: ["Bea"] } }, view: [{ total: 3 }] });
  expect(after).toEqual({ version: 2, seats: [{ name: "Anna" }, { name: "Bea" }], view: { total: 3 } });
  expect(after.seats[0]).toBe(before.seats[0]);
  expect(before.seats[1]).toEqual({ name: "Ben" });
});

test("nothing changed is the same object, and a value may become null or a list", () => {
  const before = { dice: [1, 2], pool: [] as number[] };
  expect(changed(before, {})).toBe(before);
  expect(changed(before, { dice: [null], pool: [[4]] })).toEqual({ dice: null, pool: [4] });
});

test("a change of other data is no change", () => {
  expect(() => changed({ a: [1] }, { a: { 1: [2] } })).toThrow(RangeError);
  expect(() => changed({ a: null }, { a: { b: [2] } })).toThrow(TypeError);
  expect(() => changed({ a: 1 }, { toString: [2] })).toThrow(RangeError);
});
