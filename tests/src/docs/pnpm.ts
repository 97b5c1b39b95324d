/**
 * `pnpm` in a sandbox: runs a script of the root package.json with Node, without pnpm, turbo and installation, none of which
 * may touch the dependencies that a sandbox shares with the repository. Called with the sandbox's folder and pnpm's arguments.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder = '', ...given] = process.argv.slice(2)
const [name = '', ...args] = given.filter((arg, index) => !(arg === '-s' && index < 2))
const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

interface Step {
  readonly in: string
  readonly run: readonly string[]
}

const conformance = (target: string): Step => ({
  in: '.',
  run: ['packages/conformance/src/bin.ts', 'run', '--target', target],
})

/** What the scripts that go through turbo, or install first, come down to. */
const composed: Readonly<Record<string, readonly Step[]>> = {
  start: [conformance('mock')],
  // This runs as a part of it.
  test: [],
  generate: [
    ...(args[0] === '--import' ? [{ in: '.', run: ['specs/scripts/import.ts', ...args.slice(1)] }] : []),
    { in: 'specs', run: ['scripts/readme.ts'] },
    { in: 'packages/api', run: ['scripts/generate.ts'] },
    { in: 'packages/api', run: ['scripts/sizes.ts'] },
    { in: 'apps/cli', run: ['scripts/docs.ts'] },
  ],
  lint: [
    { in: 'specs', run: ['node_modules/@redocly/cli/bin/cli.js', 'lint', '--config', 'redocly.yaml'] },
    {
      in: '.',
      run: [
        'node_modules/@biomejs/biome/bin/biome',
        'check',
        'specs',
        'packages/api/examples',
        'packages/emulator/src/handlers',
      ],
    },
  ],
}

if (scripts[name] === undefined) {
  console.error(`package.json has no script ${name}`)
  process.exit(9)
}
const plain = /^node (.+)$/.exec(scripts[name])
const steps = composed[name] ?? (plain?.[1] ? [{ in: '.', run: [...plain[1].split(' '), ...args] }] : undefined)
if (!steps) throw new Error(`docs/pnpm.ts does not say how to run ${name}`)
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step.run, { cwd: join(folder, step.in), stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
