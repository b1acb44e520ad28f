import { beforeEach, expect, test } from "vitest";
import type { Command, Problem, Request, TableMessage, UpdateMessage } from "../wire";
import { backoff, Link, type LinkState, type Listener, type Message, type Socket } from "./link";

class FakeSocket implements Socket {
  sent: unknown[] = [];
  isClosed = false;
  constructor(readonly listener: Listener) {}
  send = (text: string) => this.sent.push(JSON.parse(text));
  close = () => (this.isClosed = true);
  gives = (message: object) => this.listener.said(JSON.stringify(message));
}

const table = (version: number) => ({ type: "table", protocol: 2, live: { version, dice: null } }) as TableMessage;
const update = (version: number, base: number | null = null): UpdateMessage => ({
  type: "update",
  events: [],
  version,
  base,
  change: base === null ? [{ version, dice: null }] : { version: [version] },
});
const answer = (id: string) => ({ type: "reply", id, ok: true, version: 4, problem: null });
const command: Command = { type: "command", id: "a-command", version: 3, seat: 0, move: { do: "throw", keep: [1] } };
const request: Request = { type: "request", id: "a-request", version: 3, act: { do: "ready", commitments: [] } };

let sockets: FakeSocket[];
let timers: { milliseconds: number; run: () => void }[];
let messages: Message[];
let states: LinkState[];
let trouble: Problem | null;
let link: Link;

const last = () => sockets.at(-1) as FakeSocket;

function elapse() {
  const [timer] = timers.splice(0, 1);
  timer?.run();
}

function connect(version: number) {
  last().listener.opened();
  last().gives(table(version));
}

beforeEach(() => {
  sockets = [];
  timers = [];
  messages = [];
  states = [];
  trouble = null;
  link = new Link({
    open: (listener) => {
      sockets.push(new FakeSocket(listener));
      return last();
    },
    trouble: () => Promise.resolve(trouble),
    later: (milliseconds, run) => {
      const timer = { milliseconds, run };
      timers.push(timer);
      return () => (timers = timers.filter((other) => other !== timer));
    },
    now: () => 0,
    random: () => 0.5,
    message: (message) => messages.push(message),
    state: (state) => states.push(state),
  });
  link.start();
});

test("after a loss the hello names the last version seen, and there is never a second socket", () => {
  connect(3);
  last().gives(update(4));
  expect(last().sent).toEqual([{ type: "hello", protocol: 2, since: null }]);
  last().listener.closed();
  link.retry();
  link.retry();
  expect(sockets).toHaveLength(2);
  last().listener.opened();
  expect(last().sent).toEqual([{ type: "hello", protocol: 2, since: 4 }]);
  expect(sockets[0]?.isClosed).toBe(true);
});

test("an unanswered command goes out again under the same id, after the state is known; an answered one does not", () => {
  connect(3);
  link.send(command);
  last().listener.closed();
  elapse();
  last().listener.opened();
  expect(last().sent).toHaveLength(1);
  last().gives(update(4));
  expect(last().sent.at(-1)).toEqual(command);
  last().gives({ type: "reply", id: command.id, ok: true, version: 4, problem: null });
  last().listener.closed();
  elapse();
  connect(4);
  expect(last().sent).toHaveLength(1);
});

test("several may wait: they go out again in their order, each until its own answer", () => {
  connect(3);
  link.send(request);
  link.send(command);
  expect(last().sent.slice(1)).toEqual([request, command]);
  last().gives(answer(command.id));
  expect(timers).toHaveLength(1); // for the other one
  last().listener.closed();
  elapse();
  link.send({ ...request, id: "later" });
  connect(4);
  expect(last().sent.slice(1)).toEqual([request, { ...request, id: "later" }]);
  last().gives(answer(request.id));
  last().gives(answer("later"));
  expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([25_000]); // the next look whether it is alive
});

test("a quiet connection is asked whether it is alive; a dead one is replaced, and so is one that has missed something", () => {
  connect(3);
  elapse();
  expect(last().sent.at(-1)).toEqual({ type: "ping" });
  last().gives({ type: "pong", version: 3 });
  expect(states.at(-1)?.kind).toBe("open");
  elapse();
  elapse(); // no answer
  expect(states.at(-1)?.kind).toBe("waiting");
  elapse();
  connect(3);
  elapse();
  last().gives({ type: "pong", version: 5 });
  expect(states.at(-1)?.kind).toBe("waiting");
});

test("a change is applied to what we have; one of another version makes it ask again from there", () => {
  connect(3);
  last().gives(update(4, 3));
  expect(messages.at(-1)).toEqual({ type: "update", events: [], live: { version: 4, dice: null } });
  last().gives(update(6, 5));
  expect(messages).toHaveLength(2);
  expect(states.at(-1)?.kind).toBe("waiting");
  elapse();
  last().listener.opened();
  expect(last().sent).toEqual([{ type: "hello", protocol: 2, since: 4 }]);
  last().gives(update(6));
  expect(messages.at(-1)).toMatchObject({ live: { version: 6 } });
});

test("a change that does not fit makes it ask for everything", () => {
  connect(3);
  last().gives({ ...update(4, 3), change: { nonsense: [1] } });
  elapse();
  last().listener.opened();
  expect(last().sent).toEqual([{ type: "hello", protocol: 2, since: null }]);
});

test("begun anew it asks for everything, with what waits", () => {
  connect(3);
  link.send(request);
  link.anew();
  connect(3);
  expect(last().sent).toEqual([{ type: "hello", protocol: 2, since: null }, request]);
});

test("a socket that swallows a command is given up and replaced", () => {
  connect(3);
  link.send(command);
  elapse();
  expect(states.at(-1)?.kind).toBe("waiting");
  elapse();
  connect(3);
  expect(last().sent.at(-1)).toEqual(command);
});

test("it tries for ever, ever slower but not too slow, and starts anew after success", () => {
  const waits: number[] = [];
  for (let n = 0; n < 12; n++) {
    last().listener.closed();
    waits.push(timers[0]?.milliseconds ?? NaN);
    elapse();
  }
  expect(waits.slice(0, 3)).toEqual([375, 750, 1500]);
  expect(Math.max(...waits)).toBeLessThanOrEqual(15_000);
  expect(sockets).toHaveLength(13);
  connect(1);
  last().listener.closed();
  expect(timers[0]?.milliseconds).toBe(375);
  expect(backoff(3, 0)).not.toBe(backoff(3, 0.9));
});

test("an unknown table ends it, and says so", async () => {
  trouble = { code: "table/unknown", key: "ui-problem", params: {} };
  last().listener.closed();
  await Promise.resolve();
  expect(states.at(-1)).toEqual({ kind: "over", why: "table", problem: trouble });
  link.retry();
  expect(sockets).toHaveLength(1);
  expect(timers).toEqual([]);
});

test("a message of another protocol is not shown", () => {
  last().listener.opened();
  last().gives({ ...table(1), protocol: 1 });
  expect(states.at(-1)).toEqual({ kind: "over", why: "protocol" });
  expect(messages).toEqual([]);
});

test("a server that refuses this protocol is not asked again and again", () => {
  last().listener.opened();
  const problem: Problem = { code: "message/protocol", key: "server-protocol", params: {} };
  last().gives({ type: "reply", id: null, ok: false, version: 0, problem });
  expect(states.at(-1)).toEqual({ kind: "over", why: "protocol" });
  expect(timers).toEqual([]);
});
