const durations = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const sizes = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const

/**
 * Parses a duration with its unit.
 *
 * @param text a number, optionally with a fraction, followed by `ms`, `s`, `m`, `h` or `d`: `5m`, `1.5h`
 * @returns whole milliseconds, 0 or more; undefined if the text is not a duration
 */
export function parseConfigDuration(text: string): number | undefined {
  const ms = parse(text, durations)
  return Number.isInteger(ms) ? ms : undefined
}

/**
 * Parses a size with its unit.
 *
 * @param text a number, optionally with a fraction, followed by `B`, `kB`, `MB`, `GB` (powers of 1000) or `KiB`, `MiB`, `GiB`
 *   (powers of 1024)
 * @returns whole bytes; undefined if the text is not a size
 */
export function parseSize(text: string): number | undefined {
  const bytes = parse(text, sizes)
  return bytes === undefined ? undefined : Math.floor(bytes)
}

/** Formats a duration in the largest unit that needs no fraction: `5m`, `70h`. @param ms whole milliseconds, 0 or more */
export function formatDuration(ms: number): string {
  for (const unit of ['h', 'm', 's'] as const)
    if (ms > 0 && ms % durations[unit] === 0) return `${ms / durations[unit]}${unit}`
  return `${ms}ms`
}

function parse(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,6})?)([A-Za-z]{1,3})$/.exec(text) ?? []
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined
  return number === undefined || factor === undefined ? undefined : Math.round(Number(number) * factor * 1e6) / 1e6
}
