import { kebabCase } from '@cdn/kit/letter-case'
import { terminalText } from '@cdn/kit/text'
import { fitText, textWidth, wrapText } from '../../output/width.ts'
import type { Style, Writer } from '../../terminal/writer.ts'
import { formatBytes, formatCount, formatShare, formatSpan } from '../format.ts'
import type { Breakdown, LogStatistics } from './summary.ts'

/** Default width without a terminal, and maximum width. Beyond the maximum, labels and bars would only move apart. */
const [defaultWidth, maxWidth] = [80, 120]
const [titleWidth, minLabel, barWidth] = [12, 12, 24]
const sparks = '▁▂▃▄▅▆▇█'
const eighths = ' ▏▎▍▌▋▊▉'

/**
 * Renders a summary for people: the hit ratio, the timeline, then one block of bars per field.
 *
 * @param out terminal that decides width and colors
 * @returns lines with line ends; text from logs is sanitized
 */
export function renderSummary(summary: LogStatistics, out: Writer): string {
  const columns = Math.min(Number.isFinite(out.width()) ? out.width() : defaultWidth, maxWidth)
  return [
    ...head(summary, columns, out),
    ...timeline(summary, columns, out),
    ...Object.entries(summary.by).flatMap(([name, part]) => ['', ...block(name, part, columns, out)]),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

function head({ hitRatio, requests, bytes, from, to }: LogStatistics, columns: number, out: Writer): string[] {
  const ratio = hitRatio === null ? 'no request reached the cache' : `hit ratio ${formatShare(hitRatio)}`
  const others = fitText(` · ${formatCount(requests)} requests · ${formatBytes(bytes)}`, columns - ratio.length, 'none')
  const range = wrapText(`${from} to ${to}`, columns)
  return [`${out.paint('bold', ratio)}${others}`, ...range.map((text) => out.paint('dim', text))]
}

function timeline({ overTime: { stepMs, points } }: LogStatistics, columns: number, out: Writer): string[] {
  if (points.length < 2) return []
  const shown = points.slice(-Math.max(2, columns - titleWidth))
  const most = Math.max(1, ...shown.map(({ requests }) => requests))
  const failed = Math.max(...shown.map(({ serverErrors }) => serverErrors))
  type Point = (typeof points)[number]
  const line = (title: string, style: Style, heightOf: (point: Point) => number | null) =>
    title.padEnd(titleWidth) + out.paint(style, shown.map((point) => spark(heightOf(point))).join(''))
  const part = shown.length < points.length ? 'the end of the range, ' : ''
  const legend = `${part}${formatSpan(stepMs)} each, at most ${formatCount(most)} requests`
  return [
    '',
    line('requests', 'cyan', ({ requests }) => requests / most),
    line('hit ratio', 'green', ({ hitRatio }) => hitRatio),
    ...(failed > 0 ? [line('5xx', 'red', ({ serverErrors }) => serverErrors / failed)] : []),
    ...wrapText(legend, columns - titleWidth).map((text) => out.paint('dim', ' '.repeat(titleWidth) + text)),
  ]
}

function spark(share: number | null): string {
  return share ? sparks.charAt(Math.min(7, Math.floor(share * 8))) : ' '
}

function block(name: string, { values, others, error }: Breakdown, columns: number, out: Writer): string[] {
  const rows = values.map(({ value, requests, share }) => {
    return { label: value === null ? '(none)' : terminalText(value) || '(empty)', count: formatCount(requests), share }
  })
  const countWidth = Math.max(6, ...rows.map(({ count }) => count.length))
  const bars = Math.max(4, Math.min(barWidth, columns - minLabel - countWidth - 12))
  const widest = Math.max(0, ...rows.map(({ label }) => textWidth(label)))
  const labelWidth = Math.max(minLabel, Math.min(columns - countWidth - bars - 12, widest))
  const largest = Math.max(0, ...rows.map(({ share }) => share))
  const start = (label: string, count: string) => `${fitText(label, labelWidth)}  ${count.padStart(countWidth)}`
  return [
    out.paint('bold', `${name.charAt(0).toUpperCase()}${kebabCase(name).slice(1).replace('-', ' ')}`),
    ...rows.map(({ label, count, share }) => {
      const drawn = fitText(bar(largest === 0 ? 0 : share / largest, bars), bars)
      return `${start(label, count)}  ${out.paint('cyan', drawn)} ${formatShare(share).padStart(7)}`
    }),
    ...(others > 0 ? [out.paint('dim', start('others', formatCount(others)))] : []),
    ...(error > 0 ? [out.paint('dim', `each count may be up to ${formatCount(error)} too low`)] : []),
  ]
}

function bar(share: number, width: number): string {
  const parts = Math.max(1, Math.round(share * width * 8))
  return '█'.repeat(parts >> 3) + (parts % 8 === 0 ? '' : eighths.charAt(parts % 8))
}
