/** The one store of a table page: what is known, what is shown of it, and what the person here is about to do. */
import { t } from "../device/language.svelte";
import { settings } from "../device/settings.svelte";
import { socketOf, tableTrouble } from "../net/api";
import { Link, type LinkState, type ServerMessage } from "../net/link";
import type { BoxView, Command, EventView, Live, Problem, TableMessage, UpdateMessage } from "../wire";
import { noMarks, plan, toggled, type Marks, type Word } from "./marks";
import { beat } from "./pace";
import { Playback, type Step } from "./playback";
import { eventText, seatName } from "./words";

const remembered = 40; // events kept for the list of recent ones

const later = (milliseconds: number, run: () => void) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

/** `crypto.randomUUID` is missing where the page comes over plain HTTP from another machine. */
const commandId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Table {
  message = $state.raw<TableMessage | null>(null);
  live = $state.raw<Live | null>(null); // as shown; the newest one may still wait
  events = $state.raw<EventView[]>([]); // as shown, oldest first
  link = $state.raw<LinkState>({ kind: "connecting" });
  marks = $state.raw<Marks>(noMarks);
  preview = $state<string | null>(null); // the box that the next click writes
  inspected = $state<string | null>(null); // the box whose reasons are shown
  doubtful = $state<string | null>(null); // a box about to be struck although points could be had
  problem = $state.raw<Problem | null>(null);
  spoken = $state("");
  flying = $state.raw<number[]>([]); // positions of the last throw shown
  intended = $state.raw<number[] | null>(null); // what a computer player is about to throw again
  lingering = $state<number | null>(null); // the seat whose last entry is still to be seen
  isWaiting = $state(false); // events that are still to be shown
  isSent = $state(false); // a command that is not answered yet
  #link: Link;
  #playback: Playback;
  #stopLingering: (() => void) | null = null;

  ruleset = $derived(this.message?.ruleset ?? null);
  seats = $derived(this.message?.seats ?? []);
  turn = $derived(this.live?.view.turn ?? null);
  dice = $derived(this.live?.dice ?? null);
  isMine = $derived(!this.isWaiting && this.turn !== null && this.seats[this.turn.seat]?.kind === "person");
  canAct = $derived(this.isMine && !this.isSent);
  canThrow = $derived(this.canAct && this.turn?.duty.key !== "duty-enter");
  word: Word = $derived(settings.marks[this.ruleset?.id ?? ""] ?? this.ruleset?.habits.marks ?? "keep");
  clicks = $derived(settings.clicks[this.ruleset?.id ?? ""] ?? this.ruleset?.habits.clicks ?? 2);
  plan = $derived(plan(this.word, this.marks, this.ruleset?.dice ?? 0, this.dice === null));
  boxes: BoxView[] = $derived(this.live?.view.sheets[this.turn?.seat ?? -1]?.columns.flatMap((column) => column.boxes) ?? []);
  last = $derived(this.events.findLast((event) => event.kind === "enter") ?? null);

  constructor(readonly id: string) {
    this.#playback = new Playback({
      show: (step) => this.#show(step),
      pause: (step) => this.#pause(step),
      urgent: (update) => update.events.every((event) => this.seats[event.seat]?.kind === "person"),
      later,
    });
    this.#link = new Link({
      open: (listener) => socketOf(id, listener),
      trouble: () => tableTrouble(id),
      later,
      now: () => Date.now(),
      random: () => Math.random(),
      message: (message) => this.#receive(message),
      state: (state) => (this.link = state),
    });
  }

  /** Connect; the function that it returns takes everything down again. */
  start(): () => void {
    const again = () => document.visibilityState === "visible" && this.retry();
    addEventListener("online", again);
    document.addEventListener("visibilitychange", again);
    this.#link.start();
    return () => {
      removeEventListener("online", again);
      document.removeEventListener("visibilitychange", again);
      this.#playback.clear();
      this.#link.stop();
    };
  }

  retry(): void {
    this.#link.retry();
  }

  /** Show at once what the computer players did. */
  skip(): void {
    this.#playback.skip();
    this.isWaiting = false;
  }

  mark(position: number): void {
    if (!this.canThrow || this.dice === null || position >= this.dice.length) return;
    this.marks = toggled(this.marks, position);
    this.preview = null;
  }

  throwDice(): void {
    if (!this.canThrow || this.plan.kind === "none") return;
    this.#send({ do: "throw", keep: this.plan.keep });
  }

  /** Take back what is not sent yet. */
  unmark(): void {
    this.marks = noMarks;
    this.preview = this.inspected = null;
  }

  /** A click on a box: preview, then write; or write at once. */
  choose(box: string): void {
    if (!this.canAct) return;
    this.inspected = box;
    if (this.clicks === 1 || this.preview === box) this.write(box);
    else this.preview = box;
  }

  /** Write; a zero where points could be had is asked about first. */
  write(box: string, isSure = false): void {
    const potential = this.boxes.find((other) => other.box === box)?.potential;
    if (!this.canAct || !potential?.legal) return;
    const worth = (other: BoxView) => (other.potential?.legal ? other.potential.points + other.potential.bonus : 0);
    const isStrike = potential.points + potential.bonus === 0;
    if (isStrike && !isSure && this.boxes.some((other) => worth(other) > 0)) {
      this.doubtful = box;
      return;
    }
    this.#send({ do: "enter", box });
  }

  #send(move: Command["move"]): void {
    const { live, turn } = this;
    if (!live || !turn) return;
    this.problem = null;
    this.doubtful = null;
    this.isSent = true;
    this.#link.send({ type: "command", id: commandId(), version: live.version, seat: turn.seat, move });
  }

  #receive(message: ServerMessage): void {
    if (message.type === "table") this.#reset(message);
    else if (message.type === "update") {
      this.#playback.push(message);
      this.isWaiting = this.#playback.busy;
    } else {
      if (message.id !== null) this.isSent = false; // null: it answers something else
      this.problem = message.problem;
    }
  }

  #reset(message: TableMessage): void {
    this.#playback.clear();
    this.isWaiting = false;
    this.message = message;
    this.events = message.events;
    if (message.live.version !== this.live?.version) this.#become(message.live, []);
  }

  #pause(step: Step): number {
    const event = step.kind === "marks" ? step.event : step.update.events.at(-1);
    if (event && event.kind === "throw" && this.seats[event.seat]?.kind === "person") return 0;
    return beat[settings.pace] * (step.kind === "marks" ? 0.7 : 1);
  }

  #show(step: Step): void {
    this.#linger(step);
    if (step.kind === "marks") this.intended = step.event.thrown;
    else this.#update(step.update);
    this.isWaiting = this.#playback.busy;
  }

  /** After an entry the eye stays on its pad for a beat, although the turn has gone on. */
  #linger(step: Step): void {
    this.#stopLingering?.();
    const event = step.kind === "state" ? step.update.events.at(-1) : null;
    const pause = this.#pause(step);
    this.lingering = event?.kind === "enter" && pause > 0 ? event.seat : null;
    this.#stopLingering = later(pause, () => (this.lingering = null));
  }

  #update({ events, live }: UpdateMessage): void {
    const { ruleset, seats } = this;
    if (live.version <= (this.live?.version ?? -1)) return;
    this.events = [...this.events, ...events].slice(-remembered);
    this.#become(live, events.findLast((event) => event.kind === "throw")?.thrown ?? []);
    if (ruleset) this.spoken = [...events.map((event) => eventText(ruleset, seats, event)), ...this.#next(live)].join(" ");
  }

  /** Who comes next, for the ear: at the start of a turn and at the end of the game. */
  #next({ view: { turn } }: Live): string[] {
    if (!turn) return [t("ui-said-over")];
    return turn.throw === 0 ? [t("ui-turn-to-throw", { name: seatName(this.seats, turn.seat) })] : [];
  }

  #become(live: Live, flying: number[]): void {
    this.live = live;
    this.flying = flying;
    this.marks = noMarks;
    this.preview = this.inspected = this.doubtful = this.intended = null;
  }
}
