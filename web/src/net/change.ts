/** How an update says what is new: see knobel.server.difference. */
import type { UpdateMessage } from "../wire";

export type Change = UpdateMessage["change"];

/** What becomes of `before`, which stays as it is; throws for a change of other data. */
export function changed<T>(before: T, change: Change): T {
  if (Array.isArray(change)) return change[0] as T;
  const parts = Object.entries(change);
  if (parts.length === 0) return before;
  if (before === null || typeof before !== "object") throw new TypeError("a change of something without parts");
  const after = (Array.isArray(before) ? [...(before as unknown[])] : { ...before }) as Record<string, unknown>;
  for (const [name, part] of parts) {
    if (!Object.hasOwn(after, name)) throw new RangeError(`no part ${name}`);
    after[name] = changed(after[name], part as Change);
  }
  return after as T;
}
