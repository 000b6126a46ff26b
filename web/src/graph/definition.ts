/** Named graphs, as the server describes them. */

export interface EdgeDefinition {
  collection: string
  from: string[]
  to: string[]
}

export interface GraphDefinition {
  name: string
  edgeDefinitions: EdgeDefinition[]
  orphanCollections: string[]
}
