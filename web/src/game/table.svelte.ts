/** The one store of a table page: what is known, what is shown of it, and what the person here is about to do. */
import { t } from "../device/language.svelte";
import { settings } from "../device/settings.svelte";
import { socketOf, tableTrouble } from "../net/api";
import { Link, type LinkState, type Message, type Update } from "../net/link";
import type { BoxView, Command, EventView, Live, Problem, Request, RulesetView, TableMessage, TurnView } from "../wire";
import { noMarks, plan, toggled, type Marks, type Word } from "./marks";
import { beat } from "./pace";
import { Playback, type Step } from "./playback";
import { Room } from "./room.svelte";
import { eventText, turnText } from "./words";

const remembered = 40; // events kept for the list of recent ones

const later = (milliseconds: number, run: () => void) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

/** These make a move stale that was meant for the table before them. */
const moving: ReadonlySet<EventView["kind"]> = new Set<EventView["kind"]>([
  "begin",
  "throw",
  "enter",
  "spend",
  "choose",
  "pick",
  "substitute",
  "return",
]);

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
  thrown = $state(0); // the version of that throw
  typed = $state.raw<number[]>([]); // faces of real dice, for the places that are thrown
  helped = $state<number | null>(null); // the helper who has just thrown
  intended = $state.raw<number[] | null>(null); // what a computer player is about to throw again
  lingering = $state<number | null>(null); // the seat whose last entry is still to be seen
  isWaiting = $state(false); // events that are still to be shown
  sent = $state.raw<Command | null>(null); // a command that is not answered yet
  readonly room: Room;
  #link: Link;
  #playback: Playback;
  #stopLingering: (() => void) | null = null;

  ruleset = $derived(this.message?.ruleset ?? null);
  seats = $derived(this.live?.room.seats ?? []);
  turn = $derived(this.live?.view?.turn ?? null);
  dice = $derived(this.live?.dice ?? null);
  isSent = $derived(this.sent !== null);
  isMine = $derived(!this.isWaiting && this.turn !== null && this.plays(this.turn.seat));
  canAct = $derived(this.isMine && !this.isSent);
  /** May dice be marked: for another throw, or for an earned one? */
  canMark = $derived(
    this.isMine &&
      this.turn !== null &&
      (this.turn.duty.key === "duty-throw-or-enter" || (this.turn.duty.key === "duty-enter" && this.turn.extra_throws > 0)),
  );
  canThrow = $derived(this.canAct && /^duty-(throw|throw-or-enter|again|help)$/.test(this.turn?.duty.key ?? ""));
  isTyped = $derived(this.message?.terms.dice === "typed");
  /** How many faces a throw of real dice needs; 0: nothing is thrown just now. */
  toType = $derived.by(() => {
    if (!this.isTyped || !this.canThrow) return 0;
    if (this.turn?.duty.key === "duty-help") return this.ruleset?.dice ?? 0;
    return this.plan.again.length;
  });
  word: Word = $derived(settings.marks[this.ruleset?.id ?? ""] ?? this.ruleset?.habits.marks ?? "keep");
  clicks = $derived(settings.clicks[this.ruleset?.id ?? ""] ?? this.ruleset?.habits.clicks ?? 2);
  plan = $derived(plan(this.word, this.marks, this.ruleset?.dice ?? 0, this.dice === null));
  sheet = $derived(this.live?.view?.sheets[this.turn?.owner ?? -1] ?? null); // of the player whose turn it is
  boxes: BoxView[] = $derived(this.sheet?.columns.flatMap((column) => column.boxes) ?? []);
  pool = $derived(this.live?.pool ?? []);
  picks = $derived(this.live?.view?.actions.flatMap((action) => /^pick (.+)$/.exec(action)?.[1] ?? []) ?? []); // boxes for a special round
  last = $derived(this.events.findLast((event) => event.kind === "enter") ?? null);

  constructor(readonly id: string) {
    this.#playback = new Playback({
      show: (step) => this.#show(step),
      pause: (step) => this.#pause(step),
      urgent: (update) => update.events.every((event) => !moving.has(event.kind) || this.#isOwn(event)),
      later,
    });
    this.room = new Room(
      this,
      (act) => this.#ask(act),
      () => this.#link.anew(),
    );
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

  /** Is this a seat of this device, and plays nobody else for it? */
  plays(seat: number): boolean {
    const { guest = null, stand_in: substitute = null } = this.seats[seat] ?? {};
    return guest !== null && guest === this.message?.you && substitute === null;
  }

  /** Show at once what the computer players did. */
  skip(): void {
    this.#playback.skip();
    this.isWaiting = false;
  }

  mark(position: number): void {
    if (!this.canAct || !this.canMark || this.dice === null || position >= this.dice.length) return;
    this.marks = toggled(this.marks, position);
    this.typed = [];
    this.#forget();
  }

  throwDice(extra = false): void {
    if (extra ? !(this.canAct && this.turn?.extra_throws) : !this.canThrow) return;
    if (this.isTyped && this.typed.length !== this.toType) return;
    const faces = this.isTyped ? { faces: [...this.typed] } : {};
    const duty = this.turn?.duty.key;
    if (duty === "duty-help") this.#send({ do: "throw", keep: [], ...faces });
    else if (duty === "duty-again") this.#send({ do: "throw", keep: (this.dice ?? []).flatMap((die, place) => (die ? [place] : [])), ...faces });
    else if (this.plan.kind !== "none") this.#send({ do: "throw", keep: this.plan.keep, extra, ...faces });
  }

  /** The face of a real die, for the next place or a certain one. */
  type(face: number, place = this.typed.length): void {
    if (!this.canAct || place >= this.toType) return;
    this.typed = [...this.typed.slice(0, place), face, ...this.typed.slice(place + 1)];
  }

  untype(): void {
    this.typed = this.typed.slice(0, -1);
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
    this.typed = [];
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

  #ask(act: Request["act"]): Request {
    const request: Request = { type: "request", id: commandId(), version: this.live?.version ?? 0, act };
    this.#link.send(request);
    return request;
  }

  #isOwn(event: EventView): boolean {
    const seat = this.seats[event.seat ?? -1];
    return seat?.kind === "person" && seat.guest === this.message?.you && seat.stand_in === null;
  }

  #receive(message: Message): void {
    if (message.type === "table") this.#reset(message);
    else if (message.type === "update") {
      const isPast = message.events.some(({ kind, version }) => moving.has(kind) && version > (this.sent?.version ?? Infinity));
      if (isPast) this.sent = null; // done or stale: the reply tells nothing new
      this.#playback.push(message);
      this.isWaiting = this.#playback.busy;
    } else if (message.type === "present") this.room.attend(message);
    else if (message.id !== null && message.id === this.sent?.id) {
      this.sent = null;
      this.problem = message.problem;
    } else if (!this.room.answered(message)) this.problem = message.problem;
  }

  #reset(message: TableMessage): void {
    this.#playback.clear();
    this.isWaiting = false;
    this.message = message;
    this.events = message.events;
    if (message.live.version !== this.live?.version) this.#become(message.live, []);
    this.room.follow([]);
  }

  #pause(step: Step): number {
    const event = step.kind === "marks" ? step.event : step.update.events.findLast(({ kind }) => moving.has(kind));
    const seat = this.seats[event?.seat ?? -1];
    if (!event || this.#isOwn(event)) return 0;
    if (step.kind === "state" && event.kind === "throw" && seat?.kind === "person") return 0;
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
    const event = step.kind === "state" ? step.update.events.findLast(({ kind }) => moving.has(kind)) : null;
    const pause = this.#pause(step);
    this.lingering = event?.kind === "enter" && pause > 0 ? event.seat : null;
    this.#stopLingering = later(pause, () => (this.lingering = null));
  }

  #update({ events, live }: Update): void {
    const { ruleset } = this;
    const before = this.live?.view?.turn ?? null;
    if (live.version <= (this.live?.version ?? -1)) return;
    this.events = [...this.events, ...events].slice(-remembered);
    if (events.length > 0 && !events.some(({ kind }) => moving.has(kind))) {
      this.live = live; // people around the game: what is marked stays
    } else {
      const thrown = events.findLast((event) => event.kind === "throw");
      const isHelp = thrown !== undefined && thrown.seat !== thrown.owner;
      this.#become(live, isHelp ? [] : (thrown?.thrown ?? []));
      this.helped = isHelp ? thrown.seat : null;
    }
    this.room.follow(events);
    if (!ruleset) return;
    const told = events.map((event) => eventText(ruleset, live.room.seats, event)).filter(Boolean);
    this.spoken = [...told, ...this.#next(ruleset, before, live)].join(" ");
  }

  /** What comes next, for the ear: another scene, the start of a turn, a duty that is no throw of one's own, the end. */
  #next(ruleset: RulesetView, before: TurnView | null, { room, view }: Live): string[] {
    const turn = view?.turn ?? null;
    if (!turn) return room.phase === "over" && before ? [t("ui-said-over")] : [];
    if (turn === before) return [];
    const scene = before && before.scene !== turn.scene ? [t(`ui-said-scene-${turn.scene}`)] : [];
    const isNews = turn.throw === 0 || /^duty-(again|help|choose)$/.test(turn.duty.key);
    return isNews ? [...scene, t("ui-said-turn", { turn: turnText(ruleset, this.seats, turn) })] : scene;
  }

  #become(live: Live, flying: number[]): void {
    this.live = live;
    this.flying = flying;
    this.thrown = live.version;
    this.typed = [];
    this.marks = this.chosen = noMarks;
    this.#forget();
    this.inspected = this.doubtful = this.intended = this.helped = null;
  }
}
