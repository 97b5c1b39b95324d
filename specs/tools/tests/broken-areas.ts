/** A valid area, and the ways to break it that the lint must refuse. */

/** An area with all that an author usually writes. */
export const area = `# Area: Region. Each key is a path item; openapi.yaml maps it to a path.
boxes:
  get:
    tags: [Region]
    summary: List boxes
    description: Lists the boxes.
    x-name: list-boxes
    x-effect: read
    x-requirements:
      - { id: management.list-boxes.200, section: "4.5", text: The list is answered 200. }
    parameters:
      - { name: search, in: query, description: A part of the name., schema: { type: string } }
      - { name: perPage, in: query, description: Boxes on a page., schema: { type: integer, minimum: 5, maximum: 1000 } }
    responses:
      "200":
        description: The boxes.
        content:
          application/json:
            schema: { type: array, items: { $ref: "#/components/schemas/Box" } }
      "401": { description: Request authorization failed. }
  post:
    tags: [Region]
    summary: Create a box
    description: Creates a box.
    x-name: create-box
    x-effect: write
    x-change: create
    x-requirements:
      - { id: management.create-box.201, section: "4.5", text: A valid request is answered 201. }
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [Name]
            properties:
              Name: { type: string, minLength: 1 }
    responses:
      "201": { description: The box is created. }
      "400": { description: The body is invalid. }
      "401": { description: Request authorization failed. }
box:
  x-resource: { name: box, id: Id }
  delete:
    tags: [Region]
    summary: Delete a box
    description: Deletes a box.
    x-name: delete-box
    x-effect: destructive
    x-change: delete
    x-requirements:
      - { id: management.delete-box.204, section: "4.5", text: A box that exists is answered 204. }
      - { id: management.delete-box.404, section: "4.5", text: A box that does not exist is answered 404. }
    parameters:
      - { name: id, in: path, required: true, description: An id., schema: { type: integer, format: int64 } }
    responses:
      "204": { description: The box is deleted. }
      "401": { description: Request authorization failed. }
      "404": { description: The box does not exist. }
components:
  schemas:
    Box:
      description: A box.
      type: object
      properties:
        Id: { type: integer, format: int64 }
        Name: { type: string }
        ApiKey: { type: string, format: password }
`

/** One mistake: what is written instead of what, and the sentence about it. */
export interface Mistake {
  readonly from: string
  readonly to: string
  readonly says: string
  /** Text of the line that the sentence names; by default the first line of `to`. */
  readonly at?: string
}

const anyOf = (...types: string[]) => types.map((type) => `\`${type}\``).join(', ')
const form = 'The toolkit sends parameters in the default form only: leave out '
const search = 'name: search, in: query, description: A part of the name., schema: { type: string }'
const path = 'name: id, in: path, required: true, description: An id., schema: { type: integer, format: int64 }'

export const mistakes: Readonly<Record<string, Mistake>> = {
  // The first four passed the lint once.
  'a path parameter without required': {
    from: 'in: path, required: true',
    to: 'in: path',
    says: 'A path parameter is always present: add `required: true`.',
  },
  'a requirement of an operation that does not exist': {
    from: 'management.delete-box.404',
    to: 'management.delete-boxes.404',
    says: '`management.delete-boxes.404` is not about `delete-box`: state it at the operation that it names.',
  },
  'a requirement of a status that is not listed': {
    from: '      "404": { description: The box does not exist. }\n',
    to: '',
    says: '`management.delete-box.404` is about a status that `responses` does not list: add it there.',
    at: 'management.delete-box.404',
  },
  'an operation without its 401': {
    from: '      "204": { description: The box is deleted. }\n      "401": { description: Request authorization failed. }\n',
    to: '      "204": { description: The box is deleted. }\n',
    says: 'The response 401 is missing, which answers a request without credentials (§5); an operation that needs none states `security: []`.',
    at: '"204": { description: The box is deleted. }',
  },
  'another style': { from: search, to: `${search}, style: spaceDelimited`, says: form },
  'explode: false': { from: search, to: `${search}, explode: false`, says: form },
  'a parameter with a media type': {
    from: 'schema: { type: string } }\n      - { name: perPage',
    to: 'content: { application/json: { schema: { type: string } } } }\n      - { name: perPage',
    says: form,
  },
  'an object in a query': {
    from: search,
    to: search.replace('{ type: string }', '{ type: object }'),
    says: 'A parameter cannot be an object: state one parameter per field.',
  },
  'an object in a query, or null': {
    from: search,
    to: search.replace('{ type: string }', '{ type: [object, "null"] }'),
    says: 'A parameter cannot be an object: state one parameter per field.',
  },
  'a list in a path': {
    from: path,
    to: path.replace('{ type: integer, format: int64 }', '{ type: array, items: { type: string } }'),
    says: 'A path parameter cannot be a list: state a `string`, `integer`, `number` or `boolean`.',
  },
  'a cookie': {
    from: search,
    to: search.replace('in: query', 'in: cookie'),
    says: 'The toolkit sends no cookies: a parameter is in `path`, `query` or `header`.',
  },
  'a body without a serializer': {
    from: 'application/json:\n          schema:\n            type: object',
    to: 'multipart/form-data:\n          schema:\n            type: object',
    says: `The toolkit reads and writes no such media type: expected ${anyOf('application/json', 'application/octet-stream')} or \`text/plain\`.`,
  },
  'a response without a parser': {
    from: 'application/json:\n            schema: { type: array',
    to: 'application/xml:\n            schema: { type: array',
    says: 'The toolkit reads and writes no such media type',
  },
  readOnly: {
    from: 'Id: { type: integer, format: int64 }\n        Name',
    to: 'Id: { type: integer, format: int64, readOnly: true }\n        Name',
    says: 'The toolkit ignores `readOnly` and `writeOnly`: state one schema for the body of the request, and one for that of the response.',
  },
  writeOnly: {
    from: 'Name: { type: string, minLength: 1 }',
    to: 'Name: { type: string, minLength: 1, writeOnly: true }',
    says: 'The toolkit ignores `readOnly` and `writeOnly`',
  },
  'a body for a 204': {
    from: '"204": { description: The box is deleted. }',
    to: '"204": { description: The box is deleted., content: { application/json: { schema: {} } } }',
    says: 'A response 204 has no body: leave out `content`, or state the status that has it, such as `200`.',
  },
  'a non-Latin field': {
    from: 'Name: { type: string }\n',
    to: 'Назва: { type: string }\n',
    says: '`Назва` cannot be an option: use Latin letters, digits, `_`, `.` and `-`, such as `ZoneId`.',
  },
  'a non-Latin parameter': {
    from: 'name: search',
    to: 'name: 検索',
    says: '`検索` cannot be an option: use Latin letters',
  },
  'two parameters that are one option': {
    from: `- { ${search} }\n`,
    to: `- { ${search} }\n      - { name: per_page, in: query, description: Boxes., schema: { type: integer } }\n`,
    says: '`per_page` and `perPage` are both the option `--per-page`: rename one of them.',
    at: 'name: perPage',
  },
  'two fields that are one option': {
    from: 'Name: { type: string, minLength: 1 }\n',
    to: 'Name: { type: string, minLength: 1 }\n              name: { type: string }\n',
    says: '`Name` and `name` are both the option `--name`: rename one of them.',
    at: ' name: { type: string }',
  },
  'a schema that another file has': {
    from: '    Box:\n',
    to: '    Error: { description: An error., type: object }\n    Box:\n',
    says: '`region.yaml` and `openapi.yaml` both have a schema `Error`; give one of them another name.',
    at: '',
  },
  'an operation with a server of its own': {
    from: 'x-name: list-boxes\n',
    to: 'x-name: list-boxes\n    servers: [{ url: "https://boxes.invalid" }]\n',
    says: 'An operation has the server of its interface and no callbacks: leave out `servers` and `callbacks`.',
    at: 'servers:',
  },
  'two credentials at once': {
    from: 'x-name: list-boxes\n',
    to: 'x-name: list-boxes\n    security: [{ AccessKey: [], bearer: [] }]\n',
    says: 'A request carries one credential: write each scheme as an alternative of its own, such as `[{ AccessKey: [] }, { bearer: [] }]`.',
    at: 'security:',
  },
  'scopes next to a credential': {
    from: 'x-name: list-boxes\n',
    to: 'x-name: list-boxes\n    security: [{ AccessKey: [User] }]\n',
    says: '`security` names the credentials only: write the scopes into `x-scopes`.',
    at: 'security:',
  },
  nullable: {
    from: 'Name: { type: string }\n',
    to: 'Name: { type: string, nullable: true }\n',
    says: 'OpenAPI 3.1 has no `nullable`: write `type: [string, "null"]`.',
  },
  'a secret that is not marked': {
    from: 'ApiKey: { type: string, format: password }',
    to: 'ApiKey: { type: string }',
    says: '`ApiKey` is named like a credential: add `format: password`, so that no program prints it.',
  },
  'a number that a double cannot hold': {
    from: 'maximum: 1000',
    to: 'maximum: 9223372036854775807',
    says: '9223372036854775807 is not exact in 64-bit floating point: leave it out, and state `format: int64` instead of a limit of 64 bits.',
  },
  'a tab': {
    from: '    summary: List boxes',
    to: '\tsummary: List boxes',
    says: 'This is not valid YAML (Tabs are not allowed as indentation): indent with spaces.',
  },
  'a colon without quotes': {
    from: 'summary: Create a box',
    to: 'summary: Create: a box',
    says: 'This is not valid YAML (Nested mappings are not allowed in compact mappings): put a text with a colon into quotes.',
  },
}
