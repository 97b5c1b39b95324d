import type { AreaNames } from './names.ts'

/** The names of examples start with this, and the lint refuses them until they are replaced. */
export const examplePrefix = 'example-'

/**
 * The file of a new area, with one operation as an example of everything that an operation can say.
 *
 * @param section of the document that the area's operations will stand in
 * @returns YAML
 */
export function areaFile({ area, slug }: AreaNames, section: string): string {
  const name = `${examplePrefix}${slug}`
  return `# Area: ${area}. One key a path item; \`openapi.yaml\` says which path it is.
# This operation is an example: put those of the document in its place, and their paths in openapi.yaml.
example:
  get:
    tags: [${area}]
    summary: List examples
    description: Lists what the area holds, a page at a time.
    x-name: ${name} # kebab-case: commands, handlers and ids are made of it
    x-effect: read # read, write, or destructive where something is lost
    x-requirements: # each sentence that can be true or false of a server, in our own words
      - id: management.${name}.200
        section: "${section}"
        text: A valid request is answered 200 with a page of the list.
      - id: management.${name}.order
        section: "${section}"
        text: The list is in the order of the ids.
        unchecked: No check looks at it yet. # take this line away with the first check that does
    x-not-shown: # each point that the document leaves open
      - { id: management.${name}.last-page, section: "${section}", text: What a page behind the last one holds. }
    parameters:
      - name: page
        in: query
        description: Number of the page, from 1.
        schema: { type: integer, minimum: 1, default: 1 }
    responses:
      "200":
        description: A page of the list.
        content:
          application/json:
            schema:
              type: object
              required: [Items, HasMoreItems]
              properties:
                Items: { type: array, items: { $ref: "#/components/schemas/Example" } }
                HasMoreItems: { type: boolean }
      "401":
        description: Request authorization failed.
        content:
          application/json:
            schema: { $ref: "openapi.yaml#/components/schemas/Error" }
components:
  schemas:
    Example: # in PascalCase, and a name that no other area uses
      description: What the list holds.
      type: object
      properties:
        Id: { type: integer, format: int64 }
`
}

/** The path of the example, until the document's own stand there. */
export function examplePath({ slug }: AreaNames): string {
  return `/example/${slug}`
}
