// @ts-check
// Prints the types of a schema, against which the documents of the examples are checked:
//
//   node examples/graphql-env.js < schema.graphql > examples/graphql-env.d.ts
import { readFileSync } from 'node:fs';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';

const schema = buildSchema(readFileSync(process.stdin.fd, 'utf8'));
const introspection = minifyIntrospection(introspectionFromSchema(schema, { descriptions: false }));
process.stdout.write(outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true }));
