/** Marks on dice, by position and never by value: what a mark means, and what a throw would do with them. */
export type Word = "keep" | "again"; // a marked die stays, or is thrown again
export type Marks = ReadonlySet<number>;

export interface Plan {
  keep: number[];
  again: number[];
  kind: "first" | "all" | "some" | "none"; // none: nothing would be thrown, which the rules refuse
}

export const noMarks: Marks = new Set();

export function toggled(marks: Marks, position: number): Marks {
  const next = new Set(marks);
  if (!next.delete(position)) next.add(position);
  return next;
}

/** Does the die stay at the next throw? */
export function stays(word: Word, marks: Marks, position: number): boolean {
  return (word === "keep") === marks.has(position);
}

/** What a throw would do now; before the first throw of a turn (`fresh`) marks do not count. */
export function plan(word: Word, marks: Marks, dice: number, fresh: boolean): Plan {
  const positions = Array.from({ length: dice }, (_, position) => position);
  if (fresh) return { keep: [], again: positions, kind: "first" };
  const keep = positions.filter((position) => stays(word, marks, position));
  const again = positions.filter((position) => !stays(word, marks, position));
  return { keep, again, kind: again.length === 0 ? "none" : again.length === dice ? "all" : "some" };
}
