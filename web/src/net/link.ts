/** The one socket of a table page: says hello, comes back after a loss, and sends what waits again until it is answered. */
import type {
  Command,
  EventView,
  Hello,
  Live,
  Ping,
  PongMessage,
  PresentMessage,
  Problem,
  ReplyMessage,
  Request,
  TableMessage,
  UpdateMessage,
} from "../wire";
import { changed } from "./change";

export const protocol = 2;
/** An update with the whole table after it, as the pages want it. */
export interface Update {
  type: "update";
  events: EventView[];
  live: Live;
}
export type Message = TableMessage | Update | PresentMessage | ReplyMessage;
type ServerMessage = TableMessage | UpdateMessage | PresentMessage | PongMessage | ReplyMessage;
export type LinkState =
  | { kind: "connecting" }
  | { kind: "open" }
  | { kind: "waiting"; until: number } // for the next attempt, in milliseconds of the port's clock
  | { kind: "over"; why: "protocol" }
  | { kind: "over"; why: "table"; problem: Problem };

export interface Listener {
  opened: () => void;
  said: (text: string) => void;
  closed: () => void;
}

/** What the link needs of a WebSocket. */
export interface Socket {
  send: (text: string) => void;
  close: () => void;
}

export interface Port {
  open: (listener: Listener) => Socket;
  /** What is wrong with the table for good? Asked after a socket that never answered; null: nothing known. */
  trouble: () => Promise<Problem | null>;
  later: (milliseconds: number, run: () => void) => () => void;
  now: () => number;
  random: () => number;
  message: (message: Message) => void;
  state: (state: LinkState) => void;
}

const patience = 10_000; // without an answer the socket counts as dead
const longest = 15_000;
const quiet = 25_000; // after which the server is asked whether it is still there

/** Wait before attempt `n` (from 0): doubling, half of it by chance, so that many browsers do not come back at once. */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(longest, 500 * 2 ** attempt);
  return full / 2 + (full / 2) * random;
}

export class Link {
  #socket: Socket | null = null;
  #live: Live | null = null; // the last one seen
  #waiting: (Command | Request)[] = []; // not yet answered, in order
  #attempt = 0;
  #isAnswered = false;
  #cancel: (() => void) | null = null; // of the only timer
  #isOver = false;

  constructor(private readonly port: Port) {}

  start(): void {
    this.#connect();
  }

  /** For good. */
  stop(): void {
    this.#isOver = true;
    this.#drop();
  }

  /** Do not wait any longer; while connected, nothing happens. */
  retry(): void {
    if (this.#socket || this.#isOver) return;
    this.#connect();
  }

  /** Begin again from nothing, as after another guest has taken over this device. */
  anew(): void {
    if (this.#isOver) return;
    this.#live = null;
    this.#connect();
  }

  /** Send it now or as soon as there is a connection, and again after each loss until it is answered. */
  send(wish: Command | Request): void {
    this.#waiting.push(wish);
    if (this.#isAnswered) this.#sendOff([wish]);
  }

  #connect(): void {
    this.#drop();
    this.port.state({ kind: "connecting" });
    // what an abandoned socket still says is nobody's business
    const ifCurrent = (run: () => void) => {
      if (this.#socket === socket) run();
    };
    const hello: Hello = { type: "hello", protocol, since: this.#live?.version ?? null };
    const socket = this.port.open({
      opened: () => ifCurrent(() => socket.send(JSON.stringify(hello))),
      said: (text) => ifCurrent(() => this.#receive(text)),
      closed: () => ifCurrent(() => void this.#lost()),
    });
    this.#socket = socket;
    this.#timer(patience, () => void this.#lost());
  }

  #receive(data: string): void {
    let message: ServerMessage;
    try {
      message = JSON.parse(data) as ServerMessage;
    } catch {
      void this.#lost();
      return;
    }
    const isForeign = message.type === "reply" && message.problem?.code === "message/protocol";
    if (isForeign || (message.type === "table" && message.protocol !== protocol)) {
      this.#end({ kind: "over", why: "protocol" });
      return;
    }
    const count = this.#waiting.length;
    if (message.type === "pong") {
      if (message.version !== this.#live?.version) void this.#lost(); // something was missed
    } else if (message.type === "table" || message.type === "update") {
      this.#take(message);
    } else {
      if (message.type === "reply") this.#waiting = this.#waiting.filter(({ id }) => id !== message.id);
      this.port.message(message);
    }
    if (this.#isAnswered && (count === 0 || this.#waiting.length < count)) this.#await();
  }

  /** What the table is now. A change of something else than we have: ask again from there. */
  #take(message: TableMessage | UpdateMessage): void {
    if (message.type === "table") {
      this.#live = message.live;
      this.port.message(message);
    } else {
      if (message.base !== null && message.base !== this.#live?.version) {
        void this.#lost();
        return;
      }
      try {
        this.#live = changed(this.#live as Live, message.change);
      } catch {
        this.#live = null; // everything again
        void this.#lost();
        return;
      }
      this.port.message({ type: "update", events: message.events, live: this.#live });
    }
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#attempt = 0;
    this.port.state({ kind: "open" });
    this.#sendOff(this.#waiting);
  }

  #sendOff(wishes: readonly (Command | Request)[]): void {
    for (const wish of wishes) this.#socket?.send(JSON.stringify(wish));
    this.#await();
  }

  /** An answer must come soon, as long as one is missing; else only some sign of life. */
  #await(): void {
    if (this.#waiting.length > 0) this.#timer(patience, () => void this.#lost());
    else this.#timer(quiet, () => this.#ping());
  }

  #ping(): void {
    const ping: Ping = { type: "ping" };
    this.#socket?.send(JSON.stringify(ping));
    this.#timer(patience, () => void this.#lost());
  }

  async #lost(): Promise<void> {
    const wasAnswered = this.#isAnswered;
    this.#drop();
    if (this.#isOver) return;
    const wait = backoff(this.#attempt++, this.port.random());
    this.port.state({ kind: "waiting", until: this.port.now() + wait });
    this.#timer(wait, () => this.#connect());
    if (wasAnswered) return;
    const problem = await this.port.trouble();
    if (problem && !this.#isOver) this.#end({ kind: "over", why: "table", problem });
  }

  #end(state: LinkState): void {
    this.stop();
    this.port.state(state);
  }

  /** Let go of the socket and the timer. */
  #drop(): void {
    this.#timer(null);
    this.#isAnswered = false;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #timer(milliseconds: number | null, run: () => void = () => undefined): void {
    this.#cancel?.();
    this.#cancel = milliseconds === null ? null : this.port.later(milliseconds, run);
  }
}
