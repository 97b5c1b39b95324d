/**
 * `pnpm` in a sandbox: runs a script of the root package.json with Node. It uses neither pnpm nor turbo and installs nothing,
 * because an installation could change the dependencies that the sandbox shares with the repository. The arguments are the folder
 * of the sandbox, then pnpm's arguments.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertDefined } from '@cdn/kit/assert-defined'

const [folder, ...given] = [assertDefined(process.argv[2]), ...process.argv.slice(3)]
const [name = '', ...args] = given.filter((arg, index) => !(arg === '-s' && index < 2))
const manifest: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const script = manifest.scripts[name]

interface Step {
  readonly in: string
  readonly run: readonly string[]
}

const conformance = (target: string): Step => ({
  in: '.',
  run: ['packages/conformance/src/bin.ts', 'run', '--target', target],
})

/** Direct equivalents of scripts that use turbo or first install dependencies. */
const composed: Readonly<Record<string, readonly Step[]>> = {
  start: [conformance('mock')],
  // Nothing to run: this process is itself part of the tests.
  test: [],
  generate: [
    { in: 'packages/api', run: ['scripts/generate.ts'] },
    { in: 'packages/emulator', run: ['scripts/generate.ts'] },
  ],
  lint: [
    { in: 'specs', run: ['tools/scripts/lint.ts'] },
    {
      in: '.',
      run: ['node_modules/@biomejs/biome/bin/biome', 'check', 'specs', 'packages/emulator/src/platform/handlers'],
    },
  ],
}

if (script === undefined) {
  console.error(`package.json has no script ${name}`)
  process.exit(9)
}
const plain = /^node (.+)$/.exec(script)
const steps = composed[name] ?? (plain?.[1] ? [{ in: '.', run: [...plain[1].split(' '), ...args] }] : undefined)
if (!steps) throw new Error(`docs/pnpm.ts does not say how to run ${name}`)
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step.run, { cwd: join(folder, step.in), stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
