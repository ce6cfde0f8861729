import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { type Hole, hole, type RenderedFrames } from '../../shared/frame-templates.ts';
import { FirstView } from '../first-view.tsx';
import { Frame } from '../frame/frame.tsx';
import type { FrameReader } from '../frame/frame-props.ts';
import { plainAnchor } from '../frame/plain-anchor.tsx';
import { PAGES } from '../navigation.ts';

/*
 * What React renders for the service. This runs when the pages are bundled, so that the service itself needs no
 * React: it fills the holes of the templates for each page.
 */

export { themeStyles } from './theme-styles.ts';

const BASE_PATH = hole('basePath');

const Anchor = plainAnchor(BASE_PATH);

/** Markup as the only content of an element. */
const markup = (name: Hole) => ({ dangerouslySetInnerHTML: { __html: hole(name) } });

export const frames: RenderedFrames = {
  visitor: Object.fromEntries(
    ['/', '/sign-in', '/sign-up', ''].map((path) => [path, template('visitor', path)]),
  ),
  member: Object.fromEntries(
    [...PAGES.map(([path]) => path), ''].map((path) => [path, template('member', path)]),
  ),
  anybody: template('anybody', '', <div className="menu-group" {...markup('section')} />),
  firstView: renderToString(
    <FirstView title={hole('title')} column={hole('column')} noScript={hole('noScript')} />,
  ),
};

/** The frame of a page. @param path of the page that the menu marks; '' for any other. */
function template(reader: FrameReader, path: string, section?: ReactNode): string {
  return renderToString(
    <Frame
      basePath={BASE_PATH}
      unserved={hole('unserved')}
      Anchor={Anchor}
      reader={reader}
      path={path}
      section={section}
    >
      {hole('content')}
    </Frame>,
  );
}
