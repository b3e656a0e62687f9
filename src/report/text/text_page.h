// Writing a report for people, of any kind, to the text report or to Markdown.
#ifndef HP_REPORT_TEXT_TEXT_PAGE_H
#define HP_REPORT_TEXT_TEXT_PAGE_H

#include "report/text/text_table.h"

// Write a report to a page, whose view and functions are set.
void hp_text_page_write(struct hp_text_page *page);

#endif
