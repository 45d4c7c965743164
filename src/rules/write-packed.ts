/** A step of the build: checks all shipped rules and writes them in packed form beside the compiled code. */
import { writeFileSync } from 'node:fs';
import { loadRules } from './load.js';
import { PACKED_FILE, packRules, SHIPPED_DIR } from './shipped-rules.js';

const { rules } = await loadRules({ recheck: true });
writeFileSync(PACKED_FILE, JSON.stringify(packRules(rules, SHIPPED_DIR)));
