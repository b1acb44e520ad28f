/** Boxes to add to a pad. */
import type { RowForm, RuleForm } from "./form";

const rule = (kind: RuleForm["kind"], shows: string, pays: number | "all" | "matched"): RuleForm => {
  const isNumber = typeof pays === "number";
  return { kind, shows, exact: false, pays: isNumber ? "number" : pays, points: isNumber ? String(pays) : "" };
};
const lower = (id: string, de: string, en: string, ...rules: RuleForm[]): RowForm => ({
  id, de, en, section: "lower", joker: "", rules,
});
const upper = (id: string, de: string, en: string, face: number): RowForm => ({
  id, de, en, section: "upper", joker: "", rules: [rule("face", String(face), "matched")],
});

export const uppers: readonly RowForm[] = [
  upper("ones", "Einser", "Ones", 1),
  upper("twos", "Zweier", "Twos", 2),
  upper("threes", "Dreier", "Threes", 3),
  upper("fours", "Vierer", "Fours", 4),
  upper("fives", "Fünfer", "Fives", 5),
  upper("sixes", "Sechser", "Sixes", 6),
];

export const lowers: readonly RowForm[] = [
  lower("pair", "Ein Paar", "One pair", rule("groups", "2", "matched")),
  lower("two_pairs", "Zwei Paare", "Two pairs", rule("groups", "2 2", "matched")),
  lower("three_kind", "Dreierpasch", "Three of a kind", rule("groups", "3", "all")),
  lower("four_kind", "Viererpasch", "Four of a kind", rule("groups", "4", "all")),
  lower("five_kind", "Fünf Gleiche", "Five of a kind", rule("groups", "5", 50)),
  lower("full_house", "Full House", "Full house", rule("groups", "3 2", 25)),
  lower("small_straight", "Kleine Straße", "Small straight", rule("sets", "1234 2345 3456", 30)),
  lower("large_straight", "Große Straße", "Large straight", rule("sets", "12345 23456", 40)),
  lower("total", "Genau 20 Augen", "Exactly 20", rule("total", "20", 30)),
  lower("chance", "Chance", "Chance", rule("any", "", "all")),
];
