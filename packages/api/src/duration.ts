const units = { D: 86_400_000, H: 3_600_000, M: 60_000, S: 1_000 } as const

/**
 * Parses an ISO 8601 duration of days, hours, minutes and seconds, as in `x-rate-limit` and `x-retention`.
 *
 * @param text for example `PT10S` or `P3D`
 * @returns milliseconds, more than 0
 * @throws RangeError if the text is not such a duration, or is zero
 */
export function parseDuration(text: string): number {
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text)
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match ?? []
  const ms = Number(days) * units.D + Number(hours) * units.H + Number(minutes) * units.M + Number(seconds) * units.S
  if (!match || ms === 0)
    throw new RangeError(`Invalid duration ${JSON.stringify(text)}: expected one such as PT10S or P3D`)
  return ms
}
