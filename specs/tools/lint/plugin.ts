/** The Redocly plugin of the contract: its `x-` keys and rules. */
import { withExtensions } from './extensions.ts'
import type { NodeTypes, Rule } from './rule.ts'
import { areaShown } from './rules/area-shown.ts'
import { changes } from './rules/changes.ts'
import { errorCode } from './rules/error-code.ts'
import { knownExtension } from './rules/known-extension.ts'
import { limits } from './rules/limits.ts'
import { linkedPaths } from './rules/linked-paths.ts'
import { operationArea } from './rules/operation-area.ts'
import { operationName } from './rules/operation-name.ts'
import { requirementId } from './rules/requirement-id.ts'
import { scopes } from './rules/scopes.ts'
import { section } from './rules/section.ts'

interface Plugin {
  readonly id: string
  readonly typeExtension: Readonly<Record<'oas3' | 'overlay1', (types: NodeTypes) => NodeTypes>>
  readonly rules: { readonly oas3: Record<string, Rule>; readonly overlay1: Record<string, Rule> }
}

/** Redocly calls this function once for a configuration that names the file. */
export default function contract(): Plugin {
  return {
    id: 'contract',
    typeExtension: { oas3: withExtensions, overlay1: withExtensions },
    rules: {
      oas3: {
        'operation-name': operationName,
        'operation-area': operationArea,
        'area-shown': areaShown,
        'linked-paths': linkedPaths,
        'requirement-id': requirementId,
        section,
        'known-extension': knownExtension,
        'error-code': errorCode,
        limits,
        scopes,
        changes,
      },
      overlay1: { 'known-extension': knownExtension },
    },
  }
}
