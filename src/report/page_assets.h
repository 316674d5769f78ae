/* page_assets.h: style and script of the page, as the build embeds them: page.css and page.js here,
 * behind uPlot's of third_party.
 */
#ifndef LS_REPORT_PAGE_ASSETS_H
#define LS_REPORT_PAGE_ASSETS_H

extern const char ls_page_style[], ls_page_script[];
/* The content security policy that allows this script, and nothing from elsewhere. */
extern const char ls_page_policy[];

#endif
