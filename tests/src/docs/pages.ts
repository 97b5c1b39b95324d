import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../copy.ts'

/** Pages that another test runs, each with that test. */
export const runElsewhere: Readonly<Record<string, string>> = {
  'packages/api/README.md': 'packages/api/tests/readme.test.ts',
  'packages/emulator/README.md': 'packages/emulator/src/readme.test.ts',
  'apps/cli/README.md': 'apps/cli/tests/examples.test.ts',
  'docs/cli.md': 'apps/cli/tests/examples.test.ts',
  'docs/new-area.md': 'tests/src/new-area/new-area.test.ts',
}

/** Returns all documentation pages, relative to the root of the repository. */
export function pages(): string[] {
  const packages = [...below('packages'), ...below('apps')]
  const ofPackages = packages.flatMap((folder) => [folder, join(folder, 'docs')])
  const folders = ['', 'docs', 'specs', '.changeset', 'tests', 'bench', 'apps', 'deploy', ...ofPackages]
  return folders
    .filter((folder) => existsSync(join(repository, folder)))
    .flatMap((folder) =>
      readdirSync(join(repository, folder))
        .filter((name) => name.endsWith('.md') && !name.startsWith('CHANGELOG'))
        .map((name) => join(folder, name)),
    )
}

function below(folder: string): string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
}
