import { expect, test } from "vitest";
import { noMarks, plan, stays, toggled } from "./marks";

test("marks are positions: of two equal dice only one is marked, and a second click takes the mark back", () => {
  const marks = toggled(toggled(toggled(noMarks, 0), 3), 0);
  expect([...marks]).toEqual([3]);
  expect(noMarks.size).toBe(0);
});

test("the same marks say the opposite in the two ways of marking", () => {
  const marks = new Set([1, 4]);
  expect(plan("again", marks, 5, false)).toEqual({ keep: [0, 2, 3], again: [1, 4], kind: "some" });
  expect(plan("keep", marks, 5, false)).toEqual({ keep: [1, 4], again: [0, 2, 3], kind: "some" });
  expect(stays("keep", marks, 1)).toBe(true);
  expect(stays("again", marks, 1)).toBe(false);
});

test("no marks: a pointless throw in one way, all dice again in the other", () => {
  expect(plan("again", noMarks, 6, false).kind).toBe("none");
  expect(plan("keep", noMarks, 6, false)).toEqual({ keep: [], again: [0, 1, 2, 3, 4, 5], kind: "all" });
  expect(plan("keep", new Set([0, 1, 2, 3, 4]), 5, false).kind).toBe("none");
});

test("the first throw takes all dice, whatever was marked before", () => {
  expect(plan("again", new Set([2]), 5, true)).toEqual({ keep: [], again: [0, 1, 2, 3, 4], kind: "first" });
});
