// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the page: unpacks its data, makes the views, follows the address.
import { mountAbout } from './about.js';
import { mountAnswers } from './answers.js';
import { mountBar } from './bar.js';
import { mountChart } from './chart.js';
import { mountCost } from './cost.js';
import { loadStudy, study, unpackedJson } from './data.js';
import { byId } from './dom.js';
import { mountFlips } from './flips.js';
import { mountHeads } from './heads.js';
import { mountMaps } from './maps.js';
import { mountPrompt } from './prompt.js';
import { mountRanking } from './ranking.js';
import { mountStates } from './states.js';
import { mountStory } from './story.js';
import { readAddress } from './view.js';
import { mountWhy } from './why.js';
import { setWords } from './words.js';

async function open() {
  setWords(await unpackedJson('words'));
  await loadStudy();
  byId('explorer').hidden = false;
  mountBar();
  mountPrompt();
  mountAnswers();
  mountHeads();
  mountMaps();
  mountCost();
  mountChart();
  mountFlips();
  mountAbout();
  if (study.exam) for (const answers of ['ranking', 'states', 'why']) byId(answers).hidden = true;
  else {
    mountRanking();
    mountStates();
    mountWhy();
  }
  mountStory();
  readAddress();
  addEventListener('hashchange', readAddress);
  document.documentElement.dataset.ready = 'true';
}

open().catch((fault) => {
  byId('fault').hidden = false;
  byId('fault').textContent = `This page cannot be shown: ${fault instanceof Error ? fault.message : fault}. It needs a browser of 2023 or later.`;
});
