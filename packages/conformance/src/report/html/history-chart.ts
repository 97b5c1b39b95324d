import type { RunSummary } from '../history.ts'
import { listCounts } from '../summarize.ts'
import { durationText } from '../text.ts'
import { type Html, html } from './html.ts'
import { tableHtml } from './parts.ts'

/** Maximum number of bars, so that each is wide enough. It is enough for two months of nightly runs. */
const maxRuns = 60
const width = 720
const height = 120
const top = 16

/** Shows the last runs as a table, and as bars that show passed checks, errors and failures. */
export function historyChart(history: readonly RunSummary[]): Html {
  const runs = history.slice(-maxRuns)
  const most = Math.max(1, ...runs.map(({ summary }) => summary.passed + summary.failed + summary.errors))
  const step = Math.min(40, width / runs.length)
  const failing = runs.filter(isRed).length
  const label = `The last ${runs.length} runs, oldest left: ${failing} of them failed or ended early.`
  return html`<svg class="chart" viewBox="0 0 ${width} ${height + top + 2}" role="img" aria-label="${label}">
<line class="axis" x1="0" x2="${width}" y1="${height + top + 1}" y2="${height + top + 1}"></line>
${runs.map((run, index) => bar(run, index * step, step, most))}</svg>
<p class="legend"><span class="key pass"><span class="swatch"></span>passed</span> <span class="key error"><span class="swatch"></span>error</span> <span class="key fail"><span class="swatch"></span>failed</span> From ${dayOf(runs.at(0))} to ${dayOf(runs.at(-1))} · ✕ a run that found a failure · ! a run that ended in an error or early</p>
<details><summary>The runs as a table</summary>
${tableHtml('Runs', ['Started', 'Result', 'Exit code', 'Checks', 'Requests', 'Time'], runs.toReversed().map(runRow))}
</details>`
}

function bar(run: RunSummary, x: number, step: number, most: number): Html {
  const { passed, failed, errors } = run.summary
  const parts = [
    ['pass', passed],
    ['error', errors],
    ['fail', failed],
  ] as const
  let y = height + top
  const rects = parts.map(([name, count]) => {
    // A single failure among hundreds must still be visible.
    const tall = count === 0 ? 0 : Math.max(4, (count / most) * (height - 8))
    y -= tall
    return (
      count > 0 &&
      html`<rect class="${name}" x="${round(x + step * 0.1)}" y="${round(y)}" width="${round(step * 0.8)}" height="${round(tall)}"></rect>`
    )
  })
  const mark =
    isRed(run) &&
    html`<text x="${round(x + step / 2)}" y="${round(Math.max(10, y - 4))}">${failed > 0 ? '✕' : '!'}</text>`
  return html`<g><title>${run.startedAt}: ${listCounts(run.summary)}</title>${rects}${mark}</g>\n`
}

function runRow({ startedAt, status, exitCode, summary, durationMs }: RunSummary): Html {
  return html`<tr><td>${startedAt}</td><td>${status}</td><td class="number">${exitCode}</td><td>${listCounts(summary)}</td><td class="number">${summary.requests}</td><td class="number">${durationText(durationMs)}</td></tr>\n`
}

function dayOf(run: RunSummary | undefined): string {
  return run?.startedAt.slice(0, 10) ?? ''
}

function isRed({ exitCode }: RunSummary): boolean {
  return exitCode !== 0
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
