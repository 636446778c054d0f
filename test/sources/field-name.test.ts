import { expect, test } from 'vitest';
import { shownName } from '../../src/sources/drift.ts';

test.each([
  'EAABsbCS1iHgBO0123456789',
  'eyJhbGciOiJIUzI1NiJ9',
  'EAABwzLixnjYBAKqRsTuVwXyZaBcDeFg',
  'sk_live_0123456789abcdef',
  'ghp_0123456789abcdefABCD',
  '4f2a9c0e7b5d4f2a',
  'a4f2a9c0e7b5d4f2a',
  'planted-harbour-accessToken-1-9d1aa9ecaff99985',
  '550e8400-e29b-41d4-a716-446655440000',
  'QWxhZGRpbjpvcGVuIHNlc2FtZQ',
  'AKIAIOSFODNN7EXAMPLE',
  'xoxb-123456789012',
  'abcdefghijklmnopqrstuvwxyzabcdefghij',
  'with a space',
  'user@x.example',
  'https://x.example/a',
  `a${'b'.repeat(40)}`,
  '',
])('%j is not told as the name of a field', (name) => expect(shownName(name)).toBe('(no name)'));

test.each([
  'moodRing',
  'is_new',
  'X-Rate-Limit',
  'loginId2',
  'profileUniqueId',
  'scheduleDateTimeInUserTimezone',
  'fbAudianceTargeting',
  'isInstagramDirectPostingEnabled',
  'HTMLBody',
  'URL',
  'utm_source',
  'og_image_height',
  'a',
  '_id',
  'oauth2Version',
  'linkedInOrganizationUrn',
])('%s is told', (name) => expect(shownName(name)).toBe(name));
