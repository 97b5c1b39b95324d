import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { copyRepository, repository } from '../../../tests/src/copy.ts'
import { writeContract } from '../../../tests/src/large-contract/write-contract.ts'
import { type Each, mapEach, median } from '../rates.ts'
import { digits, type Measurement } from '../row.ts'

const rounds = 9

/** Measures the effect of 100 additional operations on generation, compilation and the start of the command line. */
export const largeContract: Measurement = {
  name: 'large-contract',
  async run() {
    const copy = copyRepository()
    try {
      writeFileSync(join(copy, 'tests/large.ts'), writeContract(copy))
      const generate = timeOf(() => {
        for (const [folder, script] of [
          ['packages/api', 'scripts/generate.ts'],
          ['packages/api', 'scripts/sizes.ts'],
          ['apps/cli', 'scripts/docs.ts'],
        ] as const)
          run(join(copy, folder), [script])
      })
      const config = { extends: './tsconfig.base.json', compilerOptions: { types: [] }, files: ['tests/large.ts'] }
      writeFileSync(join(copy, 'tsconfig.large.json'), JSON.stringify(config))
      const compile = timeOf(() => run(copy, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.large.json']))
      const [small, large] = startTimes([repository, copy])
      return [
        {
          what: 'generate, 100 additional operations',
          ours: `${digits(generate / 1000)} s`,
          peer: '',
          bound: 'at most 10 s',
          met: generate <= 10_000,
        },
        {
          what: 'tsc, 100 calls of these operations',
          ours: `${digits(compile / 1000)} s`,
          peer: '',
          bound: 'at most 3 s',
          met: compile <= 3_000,
        },
        {
          what: 'cdn --version, 100 additional operations',
          ours: `${digits(large)} ms`,
          peer: `without them ${digits(small)} ms: ${digits(large / small)} times`,
          bound: 'at most 1.1 times',
          met: large <= 1.1 * small,
        },
      ]
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  },
}

function run(cwd: string, args: readonly string[]): void {
  execFileSync(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

function timeOf(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** Returns the median start time of the built program of each folder. The programs run alternately. */
function startTimes<const Folders extends readonly string[]>(folders: Folders): Each<Folders, number> {
  const programs = folders.map((folder) => join(folder, 'apps/cli/dist/bin.js'))
  for (const folder of folders) run(join(folder, 'apps/cli'), ['scripts/build.ts'])
  const times = programs.map((): number[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, program] of programs.entries())
      defined(times[index]).push(timeOf(() => run(repository, [program, '--version'])))
  return mapEach(folders, (_, index) => median(defined(times[index])))
}
