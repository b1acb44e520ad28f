/** Sample rolls as they are typed. */

/** The faces of a typed roll; none if it is no roll. */
export function facesOf(text: string): number[] {
  const compact = text.replaceAll(/[\s,]/g, "");
  return /^[1-6]{1,8}$/.test(compact) ? [...compact].map(Number) : [];
}
