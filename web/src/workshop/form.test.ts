import { expect, test } from "vitest";
import type { Ruleset } from "../wire";
import { formOf, freeId, idOf, mappingOf } from "./form";
import { facesOf } from "./rolls";

const labels = { de: "Ä", en: "A" };
const rule = { points: "all" as const, face: null, groups: [], sets: [], total: null, exact: false };
const rules: Ruleset = {
  id: "ours",
  labels,
  dice: 5,
  throws: 3,
  categories: [
    { id: "ones", labels, section: "upper", joker: null, rules: [{ ...rule, face: 1, points: "matched" }] },
    {
      id: "mixed",
      labels,
      section: "lower",
      joker: 30,
      rules: [
        { ...rule, groups: [3, 2], exact: true, points: 25 },
        { ...rule, sets: [[1, 2, 3, 4], [2, 3, 4, 5]], points: "matched" },
        { ...rule, total: 8, points: 80 },
        rule,
      ],
    },
  ],
  columns: [
    { multiplier: 2, last_throw: 1, special: false },
    { multiplier: 1, last_throw: null, special: true },
  ],
  upper: { threshold: 63, bonus: 35 },
  saved_throws: false,
  all_equal: "mixed",
  joker: "none",
  extra_five: { when: "box_filled", points: 50, columns: "any_50", multiplied: false, paid_in: "matching_upper" },
  tokens: [{ id: "again", labels, effect: "restart", uses: 2, restarts: "throw", pool: "helpers", solo_helpers: 1 }],
  earned_throws: { categories: ["mixed"], minima: [21, 22], grant: "each", mode: "keeps_column", most_per_turn: 1 },
  special_rounds: {
    throws: 3, trigger: "sum", order: "seat", tokens: true, own_bonus: false, last: "any", final_order: "rows",
  },
  no_strike: { points: 38, columns: "all" },
  overthrow: "forbid",
  bonus_shown: "at_end",
  order: ["mixed", "ones"],
  order_scope: "row_major",
  tiebreak: ["ones"],
  habits: { marks: "keep", clicks: 2, balance: "below" },
  options: [],
};

/** Without what means nothing in a mapping: null, empty patterns and `exact: false`, options. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(
    ([key, item]) =>
      item !== null && key !== "options" && !(key === "exact" && item === false) && !(["groups", "sets"].includes(key) && (item as []).length === 0),
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, bare(item)]));
}

test("what comes from the server goes back unchanged", () => {
  expect(mappingOf(formOf(rules))).toEqual(bare(rules));
});

test("what is no number is sent as it was typed, and nothing is lost", () => {
  const form = formOf(rules);
  form.dice = "five";
  form.bonus = "";
  expect(mappingOf(form)).toMatchObject({ dice: "five", upper: { bonus: "–", threshold: 63 } });
  expect(form.dice).toBe("five");
});

test("a box that is gone is named nowhere", () => {
  const form = formOf(rules);
  form.rows = form.rows.filter(({ id }) => id !== "mixed");
  const mapping = mappingOf(form);
  expect(mapping).not.toHaveProperty("all_equal");
  expect(mapping).toMatchObject({ order: ["ones"], earned_throws: { categories: [] } });
});

test("ids", () => {
  expect(idOf("Our Sunday rules!", "x")).toBe("our-sunday-rules");
  expect(idOf("Übung 1", "x")).toBe("ubung-1");
  expect(idOf("123 骰子", "x")).toBe("x");
  expect(freeId([{ id: "chance" }, { id: "chance_2" }], "chance")).toBe("chance_3");
});

test("rolls", () => {
  expect(facesOf("1 2,3")).toEqual([1, 2, 3]);
  expect(facesOf("127")).toEqual([]);
  expect(facesOf("")).toEqual([]);
});
