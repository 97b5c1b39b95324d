/** Lengths of time, in ms. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The units of durations such as `90s`, in ms. */
export const unitMs = { ms: 1, s: 1_000, m: minuteMs, h: hourMs, d: dayMs } as const
