/**
 * Creates `docs/images/report.png`. It runs the suite against a live server with one mistake, and takes a screenshot of the top of
 * the report. Run `node src/report-page/screenshot.ts` in `tests/`. This takes five minutes, because the clock is real.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createEmulator, type Fault } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { launchBrowser } from '../chromium.ts'

/** The mistake in the picture. */
const mistake: Fault = {
  name: 'renamed-code',
  text: 'Version 1 answers for a pull zone without logging with another code.',
  async around(call, operation, next) {
    const response = await next(call, operation)
    const { status, body } = response
    if (operation.name !== 'read-log-file' || status !== 404 || typeof body !== 'string') return response
    return { ...response, body: body.replace('logging_disabled', 'not_found') }
  },
}

const image = join(import.meta.dirname, '../../../docs/images/report.png')
const folder = await mkdtemp(join(tmpdir(), 'screenshot-'))
const emulator = await createEmulator({ clock: 'real' })
emulator.faults.add(mistake)
const listening = await emulator.listen({ port: 4020 })
try {
  await runSuite(listening.managementUrl, listening.loggingUrl)
  await takePicture()
} finally {
  await listening.close()
  await rm(folder, { recursive: true })
}

/** Runs the suite as users do: from the command line, with a fixtures file that names environment variables. */
async function runSuite(managementUrl: URL, loggingUrl: URL): Promise<void> {
  const { credentials, ...resources } = emulator.fixtures
  const { byScope, keyByScope: _, ...others } = credentials
  const variables = new Map(Object.entries({ ...others, ...byScope }).map(([name, value]) => [`CDN_${name}`, value]))
  const name = (key: string) => [key, `CDN_${key}`]
  const names = {
    ...Object.fromEntries(Object.keys(others).map(name)),
    byScope: Object.fromEntries(Object.keys(byScope).map(name)),
  }
  const fixtures = join(folder, 'fixtures.json')
  await writeFile(fixtures, JSON.stringify({ ...resources, credentials: names }))
  const options = {
    '--target': 'live',
    '--management-url': managementUrl.href,
    '--logging-url': loggingUrl.href,
    '--fixtures': fixtures,
    '--allow': 'write,destructive,burst',
    '--out': join(folder, 'live'),
  }
  const bin = fileURLToPath(new URL('bin.ts', import.meta.resolve('@cdn/conformance')))
  const child = spawn(process.execPath, [bin, 'run', ...Object.entries(options).flat()], {
    env: { ...process.env, ...Object.fromEntries(variables) },
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  if (code !== 1) throw new Error(`The run should find the mistake and exit 1, and it exits ${code}`)
}

/** Takes a picture of the page down to the evidence of the first failure. It is at most 200 kB, because every clone contains it. */
async function takePicture(): Promise<void> {
  const browser = await launchBrowser()
  const page = await browser.newPage({ viewport: { width: 1120, height: 900 }, colorScheme: 'light' })
  await page.goto(pathToFileURL(join(folder, 'live/index.html')).href)
  const end = defined(await page.locator('details.failure').first().boundingBox())
  const height = Math.min(1200, Math.ceil(end.y + end.height + 24))
  await page.setViewportSize({ width: 1120, height })
  await mkdir(dirname(image), { recursive: true })
  const { length } = await page.screenshot({ path: image })
  await browser.close()
  if (length > 200_000) throw new Error(`${image} has ${length} bytes, more than 200,000`)
}
