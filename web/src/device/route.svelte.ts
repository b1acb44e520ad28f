/** The two pages, told by the address: `/` and `/table/{id}`. */
let path = $state(location.pathname);
addEventListener("popstate", () => (path = location.pathname));

/** The table this page shows; null on the set-up page. */
export function tableId(): string | null {
  const id = /^\/table\/([^/]+)\/?$/.exec(path)?.[1];
  return id === undefined ? null : decodeURIComponent(id);
}

export const tablePath = (id: string): string => `/table/${encodeURIComponent(id)}`;

/** Go to another page without loading anew. */
export function go(to: string): void {
  history.pushState(null, "", to);
  path = location.pathname;
  scrollTo(0, 0);
}

/** For `onclick` of links inside the game: follow it without loading, unless a new tab is wanted. */
export function follow(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(event.currentTarget.pathname);
}
