/** Number formats for people. They do not use `Intl`, which would add 30 ms to the start of the program. */
import { hourMs } from '@cdn/kit/time'

const units = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const

/** @returns an integer with thousands separators: `12,345` */
export function formatCount(count: number | bigint): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** @returns bytes in decimal units: `1.2 GB` */
export function formatBytes(bytes: number | bigint): string {
  let value = Number(bytes)
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}B`
}

/** @returns a duration in one unit: `850 ms`, `12 s`, `3 min`, `2.5 h`, `3 d` */
export function formatSpan(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 100_000) return `${Math.round(ms / 1000)} s`
  if (ms < 6_000_000) return `${Math.round(ms / 60_000)} min`
  const hours = ms / hourMs
  return hours < 72 ? `${Number(hours.toFixed(1))} h` : `${Number((hours / 24).toFixed(1))} d`
}

/** @returns a share from 0 to 1: `93.4 %` */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
