/** Every throw of a table derived again from what was exchanged. */
import type { FairPage, FairThrow } from "../wire";
import { commitmentOf, draw, faces } from "./derive";

export interface Checked extends FairThrow {
  derived: number[];
  isRight: boolean;
}

export interface Verdict {
  seed: boolean; // fits the commitment of the server
  shares: (boolean | null)[]; // by seat: fits its commitment; null: none was given
  first: boolean; // the right seat began
  throws: Checked[];
  isRight: boolean; // all of it
}

/** Null as long as the seed is not shown, and for real dice. */
export function verify(page: FairPage): Verdict | null {
  const { fair, table } = page;
  const { seed } = fair;
  if (seed === null || page.dice === "typed") return null;
  const given = fair.shares.filter((share) => share !== null);
  const streams = new Map<number, ReturnType<typeof faces>>();
  const throws = page.throws.map((thrown): Checked => {
    const stream = streams.get(thrown.event) ?? faces(seed, table, given, thrown.event);
    streams.set(thrown.event, stream);
    const derived = draw(stream, thrown.faces.length);
    return { ...thrown, derived, isRight: derived.every((face, place) => face === thrown.faces[place]) };
  });
  const shares = fair.shares.map((share, seat) => (share === null ? null : commitmentOf(share) === fair.commitments[seat]));
  const checks = { seed: commitmentOf(seed) === fair.commitment, first: isFirst(page, seed, given) };
  const isRight = checks.seed && checks.first && !shares.includes(false) && throws.every((thrown) => thrown.isRight);
  return { ...checks, shares, throws, isRight };
}

/** Did the seat begin that the dice decided? */
function isFirst({ begin, first, seats, table, throws }: FairPage, seed: string, shares: readonly string[]): boolean {
  if (first === null || seats.length < 2) return true;
  if (begin === "seat") return first === 0;
  if (begin === "rotate") return true; // the table before this one decided it
  const decided = throws.filter(({ event }) => event === 0);
  if (begin === "random") return first === randomSeat(faces(seed, table, shares, 0), seats.length);
  return first === highestSeat(decided, seats.length);
}

function randomSeat(stream: Generator<number, never>, n: number): number {
  for (;;) {
    const [a = 1, b = 1] = draw(stream, 2);
    const number = 6 * (a - 1) + b - 1;
    if (number < 36 - (36 % n)) return number % n;
  }
}

/** Who had the highest sum, after as many rounds as there were ties. */
function highestSeat(throws: readonly FairThrow[], n: number): number | null {
  let seats = Array.from({ length: n }, (_, seat) => seat);
  let next = 0;
  while (next < throws.length) {
    const round = throws.slice(next, (next += seats.length));
    if (round.length < seats.length || round.some(({ seat }, place) => seat !== seats[place])) return null;
    const sums = round.map(({ faces }) => faces.reduce((sum, face) => sum + face, 0));
    const best = Math.max(...sums);
    seats = seats.filter((_, place) => sums[place] === best);
    if (seats.length === 1) break;
  }
  return seats.length === 1 && next >= throws.length ? (seats[0] ?? null) : null;
}
