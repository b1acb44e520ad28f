/** The people around the game of a table: who sits where, who is there, what they say; and what is asked for there. */
import { untrack } from "svelte";
import { plannedFor, planFor } from "../device/plan";
import { forget, opened, seal } from "../fair/shares";
import { becomeGuest, Refused } from "../net/api";
import type { EventView, PresentMessage, Problem, ReplyMessage, Request, RoomView, SeatView } from "../wire";
import type { Table } from "./table.svelte";

export type Act = Request["act"];
export type Phrase = Extract<Act, { do: "say" }>["phrase"];
export const phrases: readonly Phrase[] = ["hello", "luck", "nice", "wow", "oops", "hurry", "sorry", "thanks", "again", "bye"];

const saidFor = 5_000; // milliseconds that a phrase stays at its speaker's name
const silence = 3_000; // between two phrases of one's own

export class Room {
  present = $state.raw<PresentMessage | null>(null);
  deadline = $state<number | null>(null); // when a computer stands in for the seat on turn, in milliseconds
  asked = $state.raw<Request[]>([]); // not answered yet
  problem = $state.raw<Problem | null>(null);
  said = $state.raw<{ seat: number; phrase: Phrase; version: number }[]>([]);
  isSilent = $state(false); // after a phrase of one's own
  #isQuick = $state(false);

  constructor(
    private readonly table: Table,
    private readonly send: (act: Act) => Request,
    private readonly anew: () => void,
  ) {}

  get view(): RoomView | null {
    return this.table.live?.room ?? null;
  }

  get phase(): RoomView["phase"] | null {
    return this.view?.phase ?? null;
  }

  get seats(): SeatView[] {
    return this.view?.seats ?? [];
  }

  /** The guest of this device. */
  get you(): string | null {
    return this.table.message?.you ?? null;
  }

  /** The numbers of one's own seats. */
  get mine(): number[] {
    const { you } = this;
    return this.seats.flatMap(({ guest }, seat) => (guest !== null && guest === you ? [seat] : []));
  }

  get isHost(): boolean {
    return this.you !== null && this.view?.host === this.you;
  }

  /** Are there people at other devices? */
  get hasOthers(): boolean {
    return this.seats.some(({ guest, kind }) => kind === "person" && (guest === null || guest !== this.you));
  }

  get free(): number[] {
    return this.seats.flatMap(({ guest, kind }, seat) => (kind === "person" && guest === null ? [seat] : []));
  }

  /** Seats of other people who have not said that they are ready. */
  get late(): number[] {
    return this.seats.flatMap(({ guest, ready }, seat) => (guest !== null && guest !== this.you && !ready ? [seat] : []));
  }

  get isReady(): boolean {
    return this.mine.length > 0 && this.mine.every((seat) => this.seats[seat]?.ready);
  }

  /** One's own seat for which a computer plays. */
  get substituted(): SeatView | null {
    return this.seats.find((seat, number) => this.mine.includes(number) && seat.stand_in !== null) ?? null;
  }

  /** Does the game begin by itself in an instant? Then there is nothing to be shown before it. */
  get isQuick(): boolean {
    return this.#isQuick && this.problem === null && (this.phase === "gathering" || this.phase === "revealing");
  }

  /** How many others watch. */
  get watchers(): number {
    return Math.max(0, (this.present?.watchers ?? 0) - (this.mine.length > 0 ? 0 : 1));
  }

  isBusy(act: Act["do"]): boolean {
    return this.asked.some((request) => request.act.do === act);
  }

  /** Is the guest of a seat connected? Null: not known yet, or nobody's. */
  isThere(seat: number): boolean | null {
    return (this.seats[seat]?.guest ?? null) === null ? null : (this.present?.seats[seat] ?? null);
  }

  ask(act: Act): void {
    this.problem = null;
    const request = this.send(act);
    this.asked = [...this.asked, request];
  }

  /** Sit down, as a guest with a name. */
  async sit(name: string, seat: number | null = null): Promise<void> {
    this.problem = null;
    try {
      await becomeGuest(name);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.you === null) {
        this.problem = error.problem;
        return;
      }
    }
    if (this.you === null) this.anew(); // the socket does not know of the guest
    this.ask({ do: "sit", name, seat });
  }

  ready(): void {
    this.ask({ do: "ready", commitments: seal(this.table.id, this.mine) });
  }

  /** Begin; one's own seats become ready with it. */
  start(): void {
    if (this.mine.length > 0 && !this.isReady) this.ready();
    this.ask({ do: "start" });
  }

  say(phrase: Phrase): void {
    if (this.isSilent) return;
    this.ask({ do: "say", phrase });
    this.isSilent = true;
    setTimeout(() => (this.isSilent = false), silence);
  }

  attend(message: PresentMessage): void {
    this.present = message;
    this.deadline = message.seconds === null ? null : Date.now() + message.seconds * 1000;
  }

  /** Was this the answer to something asked here? */
  answered({ id, problem }: ReplyMessage): boolean {
    const left = this.asked.filter((request) => request.id !== id);
    if (left.length === this.asked.length) return false;
    this.asked = left;
    if (problem) this.problem = problem;
    return true;
  }

  /** After each change: phrases are shown for a while, and what needs no person is done. */
  follow(events: readonly EventView[]): void {
    for (const { kind, phrase, seat, version } of events) {
      if (kind !== "say" || phrase === null || seat === null) continue;
      this.said = [...this.said.filter((other) => other.seat !== seat), { seat, phrase, version }];
      setTimeout(() => (this.said = this.said.filter((other) => other.version !== version)), saidFor);
    }
    untrack(() => this.#doByItself());
  }

  #doByItself(): void {
    const { id } = this.table;
    const { phase, view } = this;
    const plan = plannedFor(id);
    if (phase === "gathering" && plan?.start && this.isHost && this.free.length === 0 && this.late.length === 0) {
      planFor(id, null);
      this.#isQuick = true;
      this.start();
    } else if (phase === "gathering" && plan?.sit !== undefined && this.mine.length === 0) {
      planFor(id, null);
      void this.sit(plan.sit, this.free.includes(plan.seat ?? -1) ? (plan.seat ?? null) : null);
    } else if (phase === "revealing" && view && !this.isBusy("reveal")) {
      const owed = this.mine.filter((seat) => (view.fair.shares[seat] ?? null) === null);
      const shares = opened(id, owed, view.fair.commitments);
      if (shares.length > 0) this.ask({ do: "reveal", shares });
    } else if (phase === "playing") {
      forget(id);
    }
  }
}
