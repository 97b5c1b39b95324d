import { execFile } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copySpecs, createVariedArea, replaceIn, type TestArea, writeArea } from '@cdn/specs/testing'
import { expect, test } from 'vitest'

/** Lints a copy of the specs with a new area and, if given, another change. Returns the exit code and the lines. */
async function lintArea(
  area: TestArea,
  change = async (_folder: string) => {},
): Promise<{ code: unknown; lines: string[] }> {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'suite-lint-'))
  const { path: folder } = scratch
  await copySpecs(folder)
  await writeArea(folder, area)
  await change(folder)
  const script = join(import.meta.dirname, 'lint.ts')
  return await new Promise((resolve) => {
    execFile(process.execPath, [script, folder], (error, stdout) => {
      resolve({ code: error ? error.code : 0, lines: stdout.trimEnd().split('\n') })
    })
  })
}

test('the suite can check valid facts in many forms', async () => {
  expect(await lintArea(await createVariedArea())).toEqual({ code: 0, lines: ['The suite can check the contract.'] })
})

test('what the suite cannot check is refused with file, line and remedy', async () => {
  const area = await createVariedArea()
  const row = '{ id: management.list-jobs.200, section: "4.5", text: The list is answered 200. }'
  const open = '{ id: management.list-jobs.order, section: "4.5", text: The order of the list. }'
  const yaml = area.yaml
    .replace(/409\.,\s*unchecked: [^,]*,/, '409.,')
    .replace('management.add-label.effect', 'management.add-label.efect')
    .replace(`- ${row}`, `- ${row}\n    x-unspecified:\n      - ${open}`)
  const { code, lines } = await lintArea({ ...area, yaml })
  const lineOf = (text: string) => yaml.slice(0, yaml.indexOf(text)).split('\n').length
  const place = (text: string) => `specs/management/region.yaml:${lineOf(text)}  `
  expect(code).toBe(1)
  expect(lines).toEqual([
    expect.stringContaining(
      `${place('management.create-gadget.409')}No check decides \`management.create-gadget.409\`: add \`unchecked\` with the reason`,
    ),
    expect.stringContaining(`${place('management.add-label.efect')}No check decides \`management.add-label.efect\``),
    expect.stringContaining(
      `${place('management.list-jobs.order')}No check observes \`management.list-jobs.order\`: add \`unchecked\` with the reason.`,
    ),
    'Number of faults: 3.',
  ])
})

test('a parameter of the logs that no prediction knows is refused', async () => {
  const { code, lines } = await lintArea(await createVariedArea(), (folder) =>
    replaceIn(
      join(folder, 'logging/supplement.overlay.yaml'),
      '      - name: requestId\n',
      '      - { name: tlsVersion, in: query, description: The TLS version., schema: { type: string } }\n      - name: requestId\n',
    ),
  )
  expect([code, lines.at(0)]).toEqual([1, expect.stringContaining('Nothing predicts what `tlsVersion` picks')])
})
