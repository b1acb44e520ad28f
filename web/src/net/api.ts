/** The pages' API. */
import type {
  DiceStatistic,
  FairPage,
  Found,
  HouseDraft,
  HousePreview,
  HouseRules,
  Me,
  NewPhrase,
  NewTable,
  Problem,
  Refusal,
  Results,
  RulesAnswer,
  RulesetChoice,
  RulesetOffers,
  RulesetView,
  TableLine,
  TableList,
} from "../wire";
import type { Listener } from "./link";

/** The server said no; `problem` says why. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

/** A draft that can be played. */
export interface PlayablePreview {
  house: HouseRules;
  points: HousePreview["points"];
}

const unreachable: Problem = { code: "page/unreachable", key: "ui-unreachable", params: {} };
const broken: Problem = { code: "page/broken", key: "ui-broken-answer", params: {} };

async function ask<T>(path: string, body?: object): Promise<T> {
  const init: RequestInit | undefined = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, init).catch(() => {
    throw new Refused(unreachable);
  });
  const answer = (await response.json().catch(() => null)) as T | Refusal | null;
  if (response.ok && answer !== null) return answer as T;
  throw new Refused((answer as Refusal | null)?.problem ?? broken);
}

export const rulesets = (): Promise<RulesetOffers> => ask("/api/rulesets");
export const compose = (choice: RulesetChoice): Promise<RulesetView> => ask("/api/rulesets/compose", choice);
export const rulesPage = (id: string, query: string): Promise<RulesAnswer> =>
  ask(`/api/rulesets/${encodeURIComponent(id)}/page${query}`);
export const tables = (): Promise<TableList> => ask("/api/tables");
export const newTable = (table: NewTable): Promise<TableLine> => ask("/api/tables", table);
export const lobby = (): Promise<TableList> => ask("/api/lobby");
export const tableLine = (id: string): Promise<TableLine> => ask(`/api/tables/${encodeURIComponent(id)}`);
export const withCode = (code: string): Promise<Found> => ask(`/api/codes/${encodeURIComponent(code)}`);
export const fairPage = (id: string): Promise<FairPage> => ask(`/api/tables/${encodeURIComponent(id)}/dice`);
export const recordPath = (id: string): string => `/api/tables/${encodeURIComponent(id)}/record`;
export const codePicture = (id: string): string => `/api/tables/${encodeURIComponent(id)}/qr.svg`;

export const me = (): Promise<Me> => ask("/api/me");
export const newPhrase = (): Promise<NewPhrase> => ask("/api/me/phrase", {});
export const recover = (phrase: string): Promise<Me> => ask("/api/me/recover", { phrase });
export const myResults = (): Promise<Results> => ask("/api/me/results");
export const myDice = (): Promise<DiceStatistic> => ask("/api/me/dice");

/** Become a guest of this name, or take it instead of another one. */
export async function becomeGuest(name: string): Promise<Me> {
  const known = await me();
  return known.guest?.name === name ? known : ask("/api/me", { name });
}

/** Rules that cannot be played are refused here as everywhere, though for the server they are no error. */
export async function tryHouse(draft: HouseDraft): Promise<PlayablePreview> {
  const { house, points, problem } = await ask<HousePreview>("/api/house-preview", draft);
  if (house === null) throw new Refused(problem ?? broken);
  return { house, points };
}
export const keepHouse = (draft: HouseDraft): Promise<HouseRules> => ask("/api/house-rules", draft);
export const houseRules = (digest: string): Promise<HouseRules> => ask(`/api/house-rules/${encodeURIComponent(digest)}`);

/** Why there is no playing at this table, ever; null: there is, or the server does not answer just now. */
export async function tableTrouble(id: string): Promise<Problem | null> {
  const response = await fetch(`/api/tables/${encodeURIComponent(id)}`).catch(() => null);
  if (!response || response.ok || response.status === 503 || response.status === 507) return null;
  return ((await response.json().catch(() => null)) as Refusal | null)?.problem ?? null;
}

/** The socket of a table. */
export function socketOf(id: string, listener: Listener): WebSocket {
  const address = new URL(`/api/tables/${encodeURIComponent(id)}/socket`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new WebSocket(address);
  socket.onopen = listener.opened;
  socket.onmessage = (event: MessageEvent<string>) => listener.said(event.data);
  socket.onclose = listener.closed;
  return socket;
}
