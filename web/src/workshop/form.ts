/** Rules as they stand in the fields of the page (what was typed, also if it is no number), and as the server wants them. */
import type { Category, EarnedThrows, Ruleset, SpecialRounds, Token } from "../wire";

export type Kind = "any" | "face" | "groups" | "sets" | "total";

export interface RuleForm {
  kind: Kind;
  shows: string; // the pattern: a face, "3 2", "1234 2345", a sum
  exact: boolean;
  pays: "all" | "matched" | "number";
  points: string;
}

export interface RowForm {
  id: string;
  de: string;
  en: string;
  section: Category["section"];
  joker: string; // empty: none
  rules: RuleForm[];
}

export interface ColumnForm {
  multiplier: string;
  lastThrow: string; // empty: open for all throws
  special: boolean;
}

export interface Form {
  id: string;
  de: string;
  en: string;
  dice: string;
  throws: string;
  saved: boolean;
  hasBonus: boolean;
  threshold: string;
  bonus: string;
  bonusShown: Ruleset["bonus_shown"];
  columns: ColumnForm[];
  rows: RowForm[];
  allEqual: string; // empty: none
  joker: Ruleset["joker"];
  extra: { when: Ruleset["extra_five"]["when"]; points: string } & Pick<Ruleset["extra_five"], "columns" | "multiplied" | "paid_in">;
  order: string[];
  orderScope: Ruleset["order_scope"];
  tokens: (Omit<Token, "labels" | "uses"> & { de: string; en: string; uses: string })[];
  earned: (Omit<EarnedThrows, "minima"> & { minima: string }) | null;
  special: (Omit<SpecialRounds, "throws"> & { throws: string }) | null;
  hasNoStrike: boolean;
  noStrike: string;
  noStrikeColumns: "all" | "regular";
  overthrow: Ruleset["overthrow"];
  tiebreak: string[];
  habits: Ruleset["habits"];
}

type Mapping = Record<string, unknown>;

/** A whole number if it is one; what else was typed is for the server to refuse. */
function number(text: string): number | string {
  const trimmed = text.trim();
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : trimmed || "–";
}

const words = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
const numbers = (text: string) => words(text).map(number);

/** An id of a ruleset, out of its name. */
export function idOf(name: string, otherwise: string): string {
  const parts = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const id = parts.join("-").replace(/^[^a-z]+/, "").slice(0, 40);
  return id.replace(/-+$/, "") || otherwise;
}

export function formOf(rules: Ruleset): Form {
  return {
    id: rules.id,
    de: rules.labels.de,
    en: rules.labels.en,
    dice: String(rules.dice),
    throws: String(rules.throws),
    saved: rules.saved_throws,
    hasBonus: rules.upper !== null,
    threshold: String(rules.upper?.threshold ?? 63),
    bonus: String(rules.upper?.bonus ?? 35),
    bonusShown: rules.bonus_shown,
    columns: rules.columns.map(({ multiplier, last_throw: last, special }) => ({
      multiplier: String(multiplier),
      lastThrow: String(last ?? ""),
      special,
    })),
    rows: rules.categories.map(rowOf),
    allEqual: rules.all_equal ?? "",
    joker: rules.joker,
    extra: { ...rules.extra_five, points: String(rules.extra_five.points) },
    order: rules.order,
    orderScope: rules.order_scope,
    tokens: rules.tokens.map(({ labels, uses, ...rest }) => ({ ...rest, ...labels, uses: String(uses) })),
    earned: rules.earned_throws && { ...rules.earned_throws, minima: rules.earned_throws.minima.join(" ") },
    special: rules.special_rounds && { ...rules.special_rounds, throws: String(rules.special_rounds.throws) },
    hasNoStrike: rules.no_strike !== null,
    noStrike: String(rules.no_strike?.points ?? 38),
    noStrikeColumns: rules.no_strike?.columns ?? "all",
    overthrow: rules.overthrow,
    tiebreak: rules.tiebreak,
    habits: rules.habits,
  };
}

export function rowOf(row: Category): RowForm {
  return {
    id: row.id,
    de: row.labels.de,
    en: row.labels.en,
    section: row.section,
    joker: String(row.joker ?? ""),
    rules: row.rules.map((rule) => {
      const isNumber = typeof rule.points === "number";
      const pattern: [Kind, string] =
        rule.face !== null
          ? ["face", String(rule.face)]
          : rule.groups.length > 0
            ? ["groups", rule.groups.join(" ")]
            : rule.sets.length > 0
              ? ["sets", rule.sets.map((faces) => faces.join("")).join(" ")]
              : rule.total !== null
                ? ["total", String(rule.total)]
                : ["any", ""];
      const [kind, shows] = pattern;
      const pays = isNumber ? "number" : (rule.points as "all" | "matched");
      return { kind, shows, exact: rule.exact, pays, points: isNumber ? String(rule.points) : "" };
    }),
  };
}

/** The mapping for the server; boxes that are gone are named nowhere any more. */
export function mappingOf(form: Form): Mapping {
  const ids = form.rows.map(({ id }) => id);
  const isThere = (id: string) => ids.includes(id);
  const ordered = form.order.filter(isThere);
  const order = ordered.length > 0 ? [...ordered, ...ids.filter((id) => !ordered.includes(id))] : [];
  const { multiplied, columns, paid_in, when } = form.extra;
  return {
    id: form.id,
    labels: { de: form.de, en: form.en },
    dice: number(form.dice),
    throws: number(form.throws),
    categories: form.rows.map(categoryOf),
    columns: form.columns.map(({ multiplier, lastThrow, special }) => ({
      multiplier: number(multiplier),
      ...(lastThrow.trim() ? { last_throw: number(lastThrow) } : {}),
      special,
    })),
    ...(form.hasBonus ? { upper: { threshold: number(form.threshold), bonus: number(form.bonus) } } : {}),
    saved_throws: form.saved,
    ...(isThere(form.allEqual) ? { all_equal: form.allEqual } : {}),
    joker: form.joker,
    extra_five: { when, points: number(form.extra.points), columns, multiplied, paid_in },
    tokens: form.tokens.map(({ de, en, uses, ...rest }) => ({ ...rest, labels: { de, en }, uses: number(uses) })),
    ...(form.earned
      ? { earned_throws: { ...form.earned, categories: form.earned.categories.filter(isThere), minima: numbers(form.earned.minima) } }
      : {}),
    ...(form.special ? { special_rounds: { ...form.special, throws: number(form.special.throws) } } : {}),
    ...(form.hasNoStrike ? { no_strike: { points: number(form.noStrike), columns: form.noStrikeColumns } } : {}),
    overthrow: form.overthrow,
    bonus_shown: form.bonusShown,
    order,
    order_scope: form.orderScope,
    tiebreak: form.tiebreak.filter(isThere),
    habits: form.habits,
  };
}

function categoryOf(row: RowForm): Mapping {
  return {
    id: row.id,
    labels: { de: row.de, en: row.en },
    section: row.section,
    ...(row.joker.trim() ? { joker: number(row.joker) } : {}),
    rules: row.rules.map((rule) => ({
      ...patternOf(rule),
      ...(rule.exact && (rule.kind === "groups" || rule.kind === "sets") ? { exact: true } : {}),
      points: rule.pays === "number" ? number(rule.points) : rule.pays,
    })),
  };
}

function patternOf({ kind, shows }: RuleForm): Mapping {
  if (kind === "any") return {};
  if (kind === "groups") return { groups: numbers(shows).length > 0 ? numbers(shows) : [0] };
  if (kind === "sets") return { sets: words(shows).length > 0 ? words(shows).map((word) => [...word].map(number)) : [[]] };
  return { [kind]: number(shows) };
}

/** An id that no row has yet. */
export function freeId(rows: readonly { id: string }[], wanted: string): string {
  const isTaken = (id: string) => rows.some((row) => row.id === id);
  let id = wanted;
  for (let n = 2; isTaken(id); n++) id = `${wanted}_${n}`;
  return id;
}
