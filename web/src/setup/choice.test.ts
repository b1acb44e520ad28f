import { beforeEach, expect, test, vi } from "vitest";
import { settings } from "../device/settings.svelte";
import type { OptionView, RulesetOffer } from "../wire";
import { Choice, mostSeats } from "./choice.svelte";

vi.stubGlobal("fetch", () => Promise.reject(new Error("no server in this test")));

const option = (name: string, kind: OptionView["kind"], value: OptionView["default"], needs: OptionView["needs"] = []) =>
  ({ name, kind, default: value, values: [], needs, labels: null }) as OptionView;

const columns = option("columns", "choice", 1);
const order = option("order", "boxes", "free");
const multipliers = option("multipliers", "numbers", [1, 2, 3], [["columns", [3]]]);
const scope = option("order_scope", "choice", "column_major", [
  ["order", ["down", "list"]],
  ["columns", [3]],
]);

let choice: Choice;

beforeEach(() => {
  settings.language = "en";
  choice = new Choice();
  choice.offers = [{ ruleset: { id: "classic" }, options: [columns, order, multipliers, scope] }] as unknown as RulesetOffer[];
});

test("only what differs from the ruleset is sent", () => {
  choice.set(columns, 3);
  choice.set(multipliers, [1, 1, 1]);
  expect(choice.chosen).toEqual({ columns: 3, multipliers: [1, 1, 1] });
  choice.set(multipliers, [1, 2, 3]);
  expect(choice.chosen).toEqual({ columns: 3 });
});

test("an option whose needs are not met is not sent, and comes back with them", () => {
  choice.set(columns, 3);
  choice.set(multipliers, [2, 2, 2]);
  choice.set(columns, 1);
  expect(choice.chosen).toEqual({});
  expect(choice.unmet(multipliers)).toEqual([["columns", [3]]]);
  choice.set(columns, 3);
  expect(choice.chosen).toEqual({ columns: 3, multipliers: [2, 2, 2] });
});

test("a list of boxes meets a need for `list`", () => {
  choice.set(columns, 3);
  expect(choice.unmet(scope)).toHaveLength(1);
  choice.set(order, ["ones", "twos"]);
  expect(choice.unmet(scope)).toEqual([]);
});

test("seats: a nameless one gets a name of its own, and the table has an end", () => {
  while (choice.seats.length > 0) choice.seats.pop();
  for (let n = 0; n < mostSeats + 3; n++) choice.add("person");
  expect(choice.seats).toHaveLength(mostSeats);
  expect(new Set(choice.seats.map((seat) => choice.nameFor(seat))).size).toBe(mostSeats);
});
