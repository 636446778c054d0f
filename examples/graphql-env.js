// @ts-check
// Prints the types of the schema that the documents of the examples are checked against:
//
//   node examples/graphql-env.js > examples/graphql-env.d.ts
import { readFileSync } from 'node:fs';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';

const schema = buildSchema(readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8'));
const introspection = minifyIntrospection(introspectionFromSchema(schema, { descriptions: false }));
process.stdout.write(outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true }));
