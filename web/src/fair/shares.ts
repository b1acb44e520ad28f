/** One's own shares of the dice, kept in this browser until they are shown. */
import { recall, remember } from "../device/settings.svelte";
import { commitmentOf, secret } from "./derive";

const place = "knobel.shares";
const mostTables = 20;

type Kept = Record<string, string[]>; // secrets by table, the latest table last

const kept = (): Kept => recall<Kept>(place, {});
const current = new Map<string, string[]>(); // where nothing can be kept

/** New shares for these seats: their commitments. */
export function seal(table: string, seats: readonly number[]): [number, string][] {
  const secrets = seats.map(() => secret());
  const { [table]: before = [], ...others } = kept();
  const all = [...before, ...secrets].slice(-60);
  current.set(table, [...(current.get(table) ?? []), ...secrets]);
  remember(place, Object.fromEntries([...Object.entries(others).slice(1 - mostTables), [table, all]]));
  return seats.map((seat, index) => [seat, commitmentOf(secrets[index] ?? "")]);
}

/** The shares that these seats have sealed, as far as this browser has them; seats may have moved since. */
export function opened(table: string, seats: readonly number[], commitments: readonly (string | null)[]): [number, string][] {
  const known = new Map([...(kept()[table] ?? []), ...(current.get(table) ?? [])].map((share) => [commitmentOf(share), share]));
  return seats.flatMap((seat): [number, string][] => {
    const share = known.get(commitments[seat] ?? "");
    return share === undefined ? [] : [[seat, share]];
  });
}

/** They are shown now. */
export function forget(table: string): void {
  const { [table]: gone, ...others } = kept();
  current.delete(table);
  if (gone) remember(place, others);
}
