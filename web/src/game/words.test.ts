import { beforeEach, expect, test } from "vitest";
import { settings } from "../device/settings.svelte";
import type { EventView, RulesetView } from "../wire";
import { boxName, differences, eventText, problemText, reasonText, seatName } from "./words";

const house = { id: "full_house", labels: { de: "Volles Haus", en: "Full house" } };
const single = { categories: [house], columns: [{}], tokens: [], options: [] } as unknown as RulesetView;
const triple = { ...single, columns: [{}, {}, {}] } as unknown as RulesetView;
const seats = ["Anna", "Mia", "Anna"].map((name) => ({ name, kind: "person" as const, guest: null, ready: false, stand_in: null }));

beforeEach(() => {
  settings.language = "en";
});

test("players of the same name are told apart by their seats, others are not numbered", () => {
  expect(seats.map((_, seat) => seatName(seats, seat))).toEqual(["Anna (1)", "Mia", "Anna (3)"]);
});

test("a box is called by its label, and by its column where there are several", () => {
  expect(boxName(single, "full_house")).toBe("Full house");
  expect(boxName(triple, "full_house")).toBe("Full house, column 1");
  expect(boxName(triple, "full_house/3")).toBe("Full house, column 3");
});

test("ids in reasons become labels of the language in use", () => {
  const reason = { key: "why-order", params: { box: "full_house" } };
  expect(reasonText(single, reason)).toContain("Full house");
  settings.language = "de";
  expect(reasonText(single, reason)).toContain("Volles Haus");
});

test("a problem that has no text here is still told", () => {
  expect(problemText({ code: "table/odd", key: "never-heard-of", params: {} })).toContain("table/odd");
});

test("a zero is a strike, and a bonus is named apart from the points", () => {
  const entry = { kind: "enter", seat: 1, box: "full_house", points: 0, bonus: 0, dice: [] } as unknown as EventView;
  expect(eventText(single, seats, entry)).toBe("Mia strikes Full house.");
  expect(eventText(single, seats, { ...entry, bonus: 100 })).toBe("Mia writes Full house: 0 and 100 bonus.");
});

test("chosen options read as name and value; the boxes of a list only in the long form", () => {
  const chosen: RulesetView["options"] = [
    ["joker", "forced"],
    ["upper_bonus", 50],
    ["order", ["full_house"]],
  ];
  const told = differences({ ...single, options: chosen });
  expect(told.map(({ text }) => text)).toEqual(["Joker: prescribed", "Upper bonus: 50", "Order: an order of your own"]);
  expect(told.at(-1)?.help).toBe("Full house");
});
