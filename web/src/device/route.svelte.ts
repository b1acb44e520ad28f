/** The pages, told by the address: `/`, `/table/{id}`, `/workshop`, `/rules` and so on. */
let path = $state(location.pathname);
addEventListener("popstate", () => (path = location.pathname));

/** The table this page shows; null on the other pages. */
export function tableId(): string | null {
  const id = /^\/table\/([^/]+)\/?$/.exec(path)?.[1];
  return id === undefined ? null : decodeURIComponent(id);
}

/** The table whose dice this page checks; null on the other pages. */
export function fairId(): string | null {
  const id = /^\/table\/([^/]+)\/fairness\/?$/.exec(path)?.[1];
  return id === undefined ? null : decodeURIComponent(id);
}

/** The code to join by, empty to type one in; null on the other pages. */
export function joinCode(): string | null {
  const code = /^\/join(?:\/([^/]+))?\/?$/.exec(path)?.slice(1).join("");
  return code === undefined ? null : decodeURIComponent(code);
}

/** Is it the page of open tables, or that about oneself? */
export const isLobby = (): boolean => /^\/lobby\/?$/.test(path);
export const isMe = (): boolean => /^\/me\/?$/.test(path);

/** The house ruleset that the workshop opens with, empty for none; null on the other pages. */
export function workshopDigest(): string | null {
  return /^\/workshop(?:\/([0-9a-f]*))?\/?$/.exec(path)?.slice(1).join("") ?? null;
}

export const tablePath = (id: string): string => `/table/${encodeURIComponent(id)}`;
export const fairPath = (id: string): string => `${tablePath(id)}/fairness`;
export const joinPath = (code = ""): string => (code ? `/join/${code}` : "/join");
export const workshopPath = (digest = ""): string => (digest ? `/workshop/${digest}` : "/workshop");

/** The ruleset that the rules pages show, empty for all of them; null on the other pages. */
export function rulesId(): string | null {
  const id = /^\/rules(?:\/([^/]+))?\/?$/.exec(path)?.slice(1).join("");
  return id === undefined ? null : decodeURIComponent(id);
}

/** The page about a ruleset, with options as on the command line and a place on the page. */
export function rulesPath(id = "", options: Record<string, unknown> = {}, place = ""): string {
  const query = Object.entries(options)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join("&");
  return `/rules${id ? `/${encodeURIComponent(id)}` : ""}${query ? `?${query}` : ""}${place ? `#${place}` : ""}`;
}

/** Go to another page without loading anew; `instead`: the way back leaves this one out. */
export function go(to: string, instead = false): void {
  if (instead) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  path = location.pathname;
  scrollTo(0, 0);
}

/** For `onclick` of links inside the game: follow it without loading, unless a new tab is wanted. */
export function follow(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(event.currentTarget.pathname);
}
