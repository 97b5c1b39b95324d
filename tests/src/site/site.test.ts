/** Tests of the site: its examples work, its links have targets, it loads nothing, and axe has no findings. */
import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { contracts, operations } from '@cdn/api/contract'
import { createEmulator, implemented } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { buildSite } from '@cdn/site'
import { examplesOf, uploadFile } from '@cdn/site/examples'
import { renderMarkdown } from '@cdn/site/markdown'
import { referenceText } from '@cdn/site/reference'
import axe from 'axe-core'
import { expect, onTestFinished, test } from 'vitest'
import { repository } from '../copy.ts'
import { findings } from '../report-page/axe.ts'
import { useBrowser } from '../report-page/browser.ts'

const run = promisify(execFile)
const folder = temporaryFolder()
const pages = buildSite(folder)
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const linksIn = (page: string) => [...read(page).matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
const idsIn = (page: string) => [...read(page).matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)

/** Areas whose items must be created first, as those of a new area. */
const created = new Set(operations.flatMap(({ area, action }) => (action?.kind === 'create' ? [area] : [])))
/** The operations whose examples work on a fresh emulator. Deletions come last, so that it serves all examples of a language. */
const shown = operations
  .filter(({ name, area }) => implemented.has(name) && !created.has(area))
  .toSorted((a, b) => Number(a.action?.kind === 'delete') - Number(b.action?.kind === 'delete'))

test.each(['TypeScript', 'curl', 'cdn'])('the examples in %s work', async (title) => {
  const emulator = await createEmulator({ clock: 'real' })
  onTestFinished(() => emulator.close())
  const { managementUrl, loggingUrl } = await emulator.listen()
  const home = join(folder, 'home', title)
  mkdirSync(join(home, 'bin'), { recursive: true })
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(home, 'node_modules'))
  copyFileSync(emulator.fixtures.watermarkFile, join(home, uploadFile))
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
  // By default, curl exits with 0 whatever the status is.
  writeFileSync(join(home, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n')
  writeFileSync(
    join(home, 'bin/cdn'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(repository, 'apps/cli/src/bin.ts')}' "$@"\n`,
  )
  chmodSync(join(home, 'bin/cdn'), 0o755)
  expect(shown.length).toBeGreaterThan(5)
  const texts = shown.flatMap((operation) =>
    examplesOf(operation)
      .filter(([one]) => one === title)
      .map(([, , text]) => text),
  )
  const files = texts.map((text, index) => {
    writeFileSync(join(home, `${index}.ts`), `${text}\nexport {}\n`)
    return `${index}.ts`
  })
  if (title === 'TypeScript') {
    const config = { extends: join(repository, 'tsconfig.base.json'), compilerOptions: { types: ['node'] }, files }
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(repository, 'node_modules/typescript/bin/tsc')
    expect((await run(process.execPath, [tsc, '--project', home]).catch((error) => error)).stdout).toBe('')
  }
  const env = {
    HOME: home,
    CURL_HOME: home,
    PATH: [join(home, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    CDN_MANAGEMENT_URL: managementUrl.origin,
    CDN_LOGGING_URL: loggingUrl.origin,
    CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
  }
  const script =
    title === 'TypeScript'
      ? `node --eval '${files.map((file) => `await import("${home}/${file}")`).join('\n')}'`
      : texts.join('\n')
  await run('/bin/sh', ['-euc', script], { cwd: home, env })
  expect(new Set(emulator.journal.entries.map(({ operation }) => operation))).toEqual(
    new Set(shown.map(({ name }) => name)),
  )
  expect(emulator.journal.entries.filter(({ status }) => status < 200 || status > 299)).toEqual([])
})

test('an example has the required headers, and a list is a list', () => {
  const operation = defined(contracts.logging.operations[0])
  const required = { ...defined(operation.parameters[0]), required: true }
  const columns = {
    ...required,
    in: 'query',
    name: 'columns',
    schema: { type: 'array', items: { type: 'string' } },
  } as const
  const checksum = { ...required, in: 'header', name: 'Checksum', schema: { type: 'string' } } as const
  const examples = examplesOf({ ...operation, parameters: [...operation.parameters, columns, checksum] })
  const [typescript, curl] = examples.map(([, , text]) => text)
  expect(typescript).toMatch(/query: \{ columns: \[ 'example' \] \},\s+header: \{ Checksum: 'example' \}/)
  expect(curl).toContain('?columns=example')
  expect(curl).toContain("--header 'Checksum: example'")
})

test('links lead to files and anchors of the site, and ids are unique', () => {
  const internal = pages
    .flatMap((page) => linksIn(page).map((link) => ({ page, link })))
    .filter(({ link }) => !/^(?:https?|data|mailto):/.test(link))
  expect(internal.length).toBeGreaterThan(1000)
  const broken = internal.filter(({ page, link }) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), decodeURIComponent(path))
    if (target.startsWith('..') || !existsSync(join(folder, target))) return true
    return anchor !== undefined && !idsIn(target).includes(decodeURIComponent(anchor))
  })
  expect(broken, 'a link leads nowhere: correct it in the Markdown').toEqual([])
  for (const page of pages) expect(idsIn(page).length, page).toBe(new Set(idsIn(page)).size)
})

test('markup in the text of a contract stays text', () => {
  const attack = '<img src=x onerror=alert(1)> <script>alert(1)</script> <a href="javascript:alert(1)">x</a>'
  const { management } = contracts
  const operations = management.operations.map((operation) => ({ ...operation, summary: attack }))
  const { markup } = renderMarkdown(referenceText({ ...management, operations }), (href) => href)
  expect(markup).toContain('&lt;script>')
  expect(markup).not.toMatch(/<(?:script|img|a href="javascript)/)
})

test('the reference of a schema that refers to itself ends', () => {
  const { management } = contracts
  const { full } = management.openapi
  const tree = { $ref: '#/components/schemas/Tree' }
  const Tree = { type: 'array', items: { type: 'object', properties: { Leaves: tree } } }
  const openapi = { ...management.openapi, full: { ...full, components: { schemas: { Tree } } } }
  const operation = defined(management.operations.find(({ name }) => name === 'list-pull-zones'))
  const responses = [{ status: '200', description: 'The tree.', content: { 'application/json': tree } }]
  const text = referenceText({ ...management, openapi, operations: [{ ...operation, responses }] })
  expect(text).toContain('| `[].Leaves[].Leaves` ')
})

const open = useBrowser()

test.each([
  ['light', 1400],
  ['dark', 390],
] as const)('the reference: no request, no script, no findings of axe, %s at %d px', async (colorScheme, width) => {
  const { page, complaints, requests } = await open(read('reference/management.html'), {
    colorScheme,
    viewport: { width, height: 1600 },
  })
  expect(complaints).toEqual([])
  expect(requests).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  await page.evaluate(axe.source)
  expect(await findings(page)).toEqual([])
})
