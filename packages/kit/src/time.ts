/** An hour in ms. */
export const hourMs = 3_600_000

/** A day in ms. */
export const dayMs = 86_400_000
