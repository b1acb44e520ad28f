/** The one store of a table page: what is known, what is shown of it, and what the person here is about to do. */
import { t } from "../device/language.svelte";
import { settings } from "../device/settings.svelte";
import { socketOf, tableTrouble } from "../net/api";
import { Link, type LinkState, type ServerMessage } from "../net/link";
import type { BoxView, Command, EventView, Live, Problem, RulesetView, TableMessage, TurnView, UpdateMessage } from "../wire";
import { noMarks, plan, toggled, type Marks, type Word } from "./marks";
import { beat } from "./pace";
import { Playback, type Step } from "./playback";
import { eventText, turnText } from "./words";

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
  chosen = $state.raw<Marks>(noMarks); // places in the pool
  armed = $state<string | null>(null); // the token that the next click spends
  told = $state(""); // why something that was tried cannot be used
  preview = $state<string | null>(null); // the box that the next click writes
  inspected = $state<string | null>(null); // the box whose reasons are shown
  doubtful = $state<string | null>(null); // a box about to be struck although points could be had
  problem = $state.raw<Problem | null>(null);
  spoken = $state("");
  flying = $state.raw<number[]>([]); // positions of the last throw shown
  helped = $state<number | null>(null); // the helper who has just thrown
  intended = $state.raw<number[] | null>(null); // what a computer player is about to throw again
  lingering = $state<number | null>(null); // the seat whose last entry is still to be seen
  isWaiting = $state(false); // events that are still to be shown
  sent = $state.raw<Command | null>(null); // a command that is not answered yet
  #link: Link;
  #playback: Playback;
  #stopLingering: (() => void) | null = null;

  ruleset = $derived(this.message?.ruleset ?? null);
  seats = $derived(this.message?.seats ?? []);
  turn = $derived(this.live?.view.turn ?? null);
  dice = $derived(this.live?.dice ?? null);
  isSent = $derived(this.sent !== null);
  isMine = $derived(!this.isWaiting && this.turn !== null && this.seats[this.turn.seat]?.kind === "person");
  canAct = $derived(this.isMine && !this.isSent);
  /** May dice be marked: for another throw, or for an earned one? */
  canMark = $derived(
    this.isMine &&
      this.turn !== null &&
      (this.turn.duty.key === "duty-throw-or-enter" || (this.turn.duty.key === "duty-enter" && this.turn.extra_throws > 0)),
  );
  canThrow = $derived(this.canAct && /^duty-(throw|throw-or-enter|again|help)$/.test(this.turn?.duty.key ?? ""));
  word: Word = $derived(settings.marks[this.ruleset?.id ?? ""] ?? this.ruleset?.habits.marks ?? "keep");
  clicks = $derived(settings.clicks[this.ruleset?.id ?? ""] ?? this.ruleset?.habits.clicks ?? 2);
  plan = $derived(plan(this.word, this.marks, this.ruleset?.dice ?? 0, this.dice === null));
  sheet = $derived(this.live?.view.sheets[this.turn?.owner ?? -1] ?? null); // of the player whose turn it is
  boxes: BoxView[] = $derived(this.sheet?.columns.flatMap((column) => column.boxes) ?? []);
  pool = $derived(this.live?.pool ?? []);
  picks = $derived(this.live?.view.actions.flatMap((action) => /^pick (.+)$/.exec(action)?.[1] ?? []) ?? []); // boxes for a special round
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
    if (!this.canAct || !this.canMark || this.dice === null || position >= this.dice.length) return;
    this.marks = toggled(this.marks, position);
    this.#forget();
  }

  throwDice(extra = false): void {
    if (extra ? !(this.canAct && this.turn?.extra_throws) : !this.canThrow) return;
    const duty = this.turn?.duty.key;
    if (duty === "duty-help") this.#send({ do: "throw", keep: [] });
    else if (duty === "duty-again") this.#send({ do: "throw", keep: (this.dice ?? []).flatMap((die, place) => (die ? [place] : [])) });
    else if (this.plan.kind !== "none") this.#send({ do: "throw", keep: this.plan.keep, extra });
  }

  /** Spend a token: with two clicks, as a box is written. */
  spend(token: string): void {
    if (!this.canAct || !this.turn?.spendable.includes(token)) return;
    const isSure = this.clicks === 1 || this.armed === token;
    this.#forget();
    if (isSure) this.#send({ do: "spend", token });
    else this.armed = token;
  }

  /** Take a die of the pool, or put it back. */
  take(place: number): void {
    if (!this.canAct || this.turn?.duty.key !== "duty-choose") return;
    const next = toggled(this.chosen, place);
    if (next.size <= (this.ruleset?.dice ?? 0)) this.chosen = next;
  }

  /** Play on with the dice that were chosen. */
  confirm(): void {
    if (!this.canAct || this.chosen.size !== this.ruleset?.dice) return;
    this.#send({ do: "choose", places: [...this.chosen].sort((a, b) => a - b) });
  }

  /** Say why something cannot be used. */
  tell(reason: string): void {
    this.#forget();
    this.told = reason;
  }

  /** Take back what is not sent yet. */
  unmark(): void {
    this.marks = this.chosen = noMarks;
    this.#forget();
    this.inspected = null;
  }

  /** A click on a box: preview, then write; or write at once. */
  choose(box: string): void {
    if (!this.canAct) return;
    const isSure = this.clicks === 1 || this.preview === box;
    this.#forget();
    this.inspected = box;
    if (this.clicks === 2) this.preview = box;
    if (isSure) this.write(box);
  }

  /** Write, or pick for everyone; a zero where points could be had is asked about first. */
  write(box: string, isSure = false): void {
    if (this.canAct && this.picks.includes(box)) {
      this.#send({ do: "pick", box });
      return;
    }
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

  /** What the next click would have done. */
  #forget(): void {
    this.preview = this.armed = null;
    this.told = "";
  }

  #send(move: Command["move"]): void {
    const { live, turn } = this;
    if (!live || !turn) return;
    this.problem = null;
    this.doubtful = null;
    this.sent = { type: "command", id: commandId(), version: live.version, seat: turn.seat, move };
    this.#link.send(this.sent);
  }

  #receive(message: ServerMessage): void {
    if (message.type === "table") this.#reset(message);
    else if (message.type === "update") {
      if (this.sent && message.live.version > this.sent.version) this.sent = null; // done or stale: the reply tells nothing new
      this.#playback.push(message);
      this.isWaiting = this.#playback.busy;
    } else {
      if (message.id === this.sent?.id) this.sent = null;
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
    const before = this.live?.view.turn ?? null;
    if (live.version <= (this.live?.version ?? -1)) return;
    this.events = [...this.events, ...events].slice(-remembered);
    const thrown = events.findLast((event) => event.kind === "throw");
    const isHelp = thrown !== undefined && thrown.seat !== thrown.owner;
    this.#become(live, isHelp ? [] : (thrown?.thrown ?? []));
    this.helped = isHelp ? thrown.seat : null;
    if (!ruleset) return;
    const told = events.map((event) => eventText(ruleset, seats, event));
    this.spoken = [...told, ...this.#next(ruleset, before, live.view.turn)].join(" ");
  }

  /** What comes next, for the ear: another scene, the start of a turn, a duty that is no throw of one's own, the end. */
  #next(ruleset: RulesetView, before: TurnView | null, turn: TurnView | null): string[] {
    if (!turn) return [t("ui-said-over")];
    const scene = before && before.scene !== turn.scene ? [t(`ui-said-scene-${turn.scene}`)] : [];
    const isNews = turn.throw === 0 || /^duty-(again|help|choose)$/.test(turn.duty.key);
    return isNews ? [...scene, t("ui-said-turn", { turn: turnText(ruleset, this.seats, turn) })] : scene;
  }

  #become(live: Live, flying: number[]): void {
    this.live = live;
    this.flying = flying;
    this.marks = this.chosen = noMarks;
    this.#forget();
    this.inspected = this.doubtful = this.intended = this.helped = null;
  }
}
