/** Returns a number with its noun: `1 check`, `2 checks`. English needs no more rules here than the letter s. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
