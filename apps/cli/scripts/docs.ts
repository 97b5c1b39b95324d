/** `pnpm generate`: writes `docs/cli.md` of the repository, the help of every command. A test proves it fresh. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../src/commands/root.ts'
import { toMarkdown } from '../src/help/markdown.ts'

writeFileSync(join(import.meta.dirname, '../../../docs/cli.md'), await toMarkdown(root))
