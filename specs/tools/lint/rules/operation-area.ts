import type { Location, Rule, RuleContext } from '../rule.ts'

/** An operation belongs to exactly one area. `tags` of openapi.yaml declares the areas. */
export const operationArea: Rule = () => {
  const operations: { tags: readonly string[]; at: Location }[] = []
  return {
    Operation({ tags = [] }: { tags?: readonly string[] }, { location }: RuleContext) {
      operations.push({ tags, at: tags.length > 0 ? location.child('tags') : location.key() })
    },
    Root: {
      leave({ tags = [] }: { tags?: readonly { name: string }[] }, { report }: RuleContext) {
        const areas = new Set(tags.map(({ name }) => name))
        for (const { tags, at } of operations) {
          if (tags.length !== 1)
            report({ message: `The operation has ${tags.length} tags: expected one, its area.`, location: at })
          for (const tag of tags)
            if (!areas.has(tag))
              report({ message: `The area \`${tag}\` is not declared under \`tags\` of openapi.yaml.`, location: at })
        }
      },
    },
  }
}
