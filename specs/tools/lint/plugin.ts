/** The Redocly plugin of the contract: its `x-` keys and rules. */
import { withExtensions } from './extensions.ts'
import type { NodeTypes, Rule } from './rule.ts'
import { actionSource } from './rules/action-source.ts'
import { areaShown } from './rules/area-shown.ts'
import { errorCode } from './rules/error-code.ts'
import { exampleReplaced } from './rules/example-replaced.ts'
import { knownExtension } from './rules/known-extension.ts'
import { limits } from './rules/limits.ts'
import { linkedPaths } from './rules/linked-paths.ts'
import { operationArea } from './rules/operation-area.ts'
import { operationName } from './rules/operation-name.ts'
import { operationWords } from './rules/operation-words.ts'
import { requirementId } from './rules/requirement-id.ts'
import { schemeVariable } from './rules/scheme-variable.ts'
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
        'operation-words': operationWords,
        'operation-name': operationName,
        'example-replaced': exampleReplaced,
        'operation-area': operationArea,
        'area-shown': areaShown,
        'linked-paths': linkedPaths,
        'requirement-id': requirementId,
        section,
        'known-extension': knownExtension,
        'error-code': errorCode,
        limits,
        'scheme-variable': schemeVariable,
        scopes,
      },
      overlay1: { 'known-extension': knownExtension, 'action-source': actionSource },
    },
  }
}
